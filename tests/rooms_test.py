#!/usr/bin/env python3
"""Includes point one way: each room may include only the rooms named here, and siblings never each other."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAY_INCLUDE = {
    "kernels": [],
    "harness/base": ["kernels"],
    "harness/data": ["harness/base", "kernels"],
    "harness/trees": ["harness/data", "harness/base", "kernels"],
    "harness/privacy": ["harness/base"],
    "harness/exchange": ["harness/trees", "harness/privacy", "harness/data", "harness/base", "kernels"],
}
LOW = ["harness/exchange", *MAY_INCLUDE["harness/exchange"]]
MAY_INCLUDE.update({room: LOW for room in ("harness/masked", "baselines", "attacks")})
MAY_INCLUDE["harness/judge"] = ["harness/masked", "baselines", "attacks", *LOW]
MAY_INCLUDE["harness/config"] = ["harness/judge", *MAY_INCLUDE["harness/judge"]]
MAY_INCLUDE["harness/sweep"] = ["harness/config", *MAY_INCLUDE["harness/config"]]
MAY_INCLUDE["harness/party"] = ["harness/sweep", *MAY_INCLUDE["harness/sweep"]]
MAY_INCLUDE["harness/cli"] = ["harness/party", *MAY_INCLUDE["harness/party"]]
GRPC = "harness/exchange/grpc/"  # the one folder that knows gRPC


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "harness" else parts[0]


def faults(files):
    """files: pairs of a path and its text."""
    out = []
    for path, text in files:
        room = room_of(path)
        if room not in MAY_INCLUDE:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(r"\s*#include <grpc", line) and not path.startswith(GRPC):
                out.append(f"{path}:{number}: only {GRPC} may know gRPC")
            match = re.match(r'\s*#include "([^"]+)"', line)
            if not match:
                continue
            other = room_of(match[1])
            if other not in MAY_INCLUDE:
                out.append(f"{path}:{number}: includes {match[1]}, which is in no room")
            elif other != room and other not in MAY_INCLUDE[room]:
                out.append(f"{path}:{number}: {room} must not include {match[1]}")
    return out


def main():
    broken = [("kernels/x.hpp", '#include "harness/base/error.hpp"\n'),
              ("harness/masked/x.cpp", '#include "attacks/view.hpp"\n'),
              ("baselines/x.cpp", '#include "harness/core/x.hpp"\n'),
              ("harness/exchange/x.cpp", "#include <grpcpp/channel.h>\n")]
    if len(faults(broken)) != len(broken):
        return "the check does not see a forbidden include"
    names = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    files = [(name, (ROOT / name).read_text(encoding="utf-8")) for name in names
             if name.endswith((".cpp", ".hpp", ".cu", ".cuh")) and (ROOT / name).exists()]
    found = faults(files)
    print(f"{len(files)} files, {len(found)} forbidden includes")
    return "\n".join(found)


if __name__ == "__main__":
    sys.exit(main() or 0)
