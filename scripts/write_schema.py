#!/usr/bin/python3
"""Writes scripts/maskplots/schema.json: what maskbench knows and the figures need without it at hand.

  scripts/write_schema.py    after a change of the columns of results.csv or of a key's default
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "scripts" / "maskplots" / "schema.json"
PROGRAM = os.environ.get("MASKBENCH_BINARY") or str(ROOT / "build" / "maskbench")


def schema(program):
    known = json.loads(subprocess.run([program, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    return {"columns": known["columns"], "defaults": {key["name"]: key["default"] for key in known["keys"]}}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=PROGRAM, help="maskbench [$MASKBENCH_BINARY, else build/maskbench]")
    options = parser.parse_args(argv)
    if not os.access(options.program, os.X_OK):
        sys.exit(f"write_schema.py: {options.program} is not there; build it first (scripts/build.sh maskbench)")
    FILE.write_text(json.dumps(schema(options.program), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
