#!/usr/bin/env python3
"""What ptxas says of every kernel: registers, spills, shared memory, theoretical occupancy.

usage: ptxas_report.py NVCC SOURCE_ROOT [nvcc option...]
Exits 1 if a kernel spills or none was found.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

THREADS = 256  # device::kThreads
# CUDA C programming guide, compute capabilities: warps and blocks an SM, shared memory an SM (KiB)
SMS = {"80": (64, 32, 164), "90": (64, 32, 228), "120": (48, 24, 100)}
REGISTERS_OF_SM = 65536
RESERVED_SHARED = 1024  # a block


def occupancy(arch, registers, shared):
    warps_of_sm, blocks_of_sm, shared_kib = SMS[arch]
    warps = THREADS // 32
    registers_of_warp = -(-registers // 8) * 8 * 32
    blocks = min(
        REGISTERS_OF_SM // registers_of_warp // warps,
        shared_kib * 1024 // (shared + RESERVED_SHARED),
        warps_of_sm // warps,
        blocks_of_sm,
    )
    return blocks * warps / warps_of_sm


def demangle(name):
    words, rest = [], name.removeprefix("_Z").removeprefix("N")  # N 9maskbench 7kernels ...
    while rest and rest[0].isdigit():
        length = int(re.match(r"\d+", rest).group())
        rest = rest[len(str(length)):]
        words.append(rest[:length])
        rest = rest[length:]
    return words[-1]


def report(nvcc, root, arch, options):
    source = pathlib.Path(root) / "tests/kernels/ptxas_kernels.cu"
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(
            [nvcc, "-std=c++20", "-O3", "-fmad=false", f"-arch=sm_{arch}", "-cubin", "-Xptxas", "-v",
             f"-I{root}", *options, "-o", f"{scratch}/kernels.cubin", str(source)],
            capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    kernel = None
    rows = []
    for line in run.stderr.splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = demangle(found.group(1))
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes", line):
            frame, stores, loads = map(int, found.groups())
        elif found := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            rows.append((kernel, int(found.group(1)), stores + loads, frame,
                         int(shared.group(1)) if shared else 0))
    return rows


def main():
    nvcc, root, *options = sys.argv[1:]
    spilled = []
    print("arch    kernel        registers  spill bytes  stack  shared bytes  occupancy")
    for arch in SMS:
        rows = report(nvcc, root, arch, options)
        if not rows:
            sys.exit(f"sm_{arch}: ptxas reported no kernel")
        for kernel, registers, spills, frame, shared in sorted(rows):
            share = occupancy(arch, registers, shared)
            print(f"sm_{arch:<4} {kernel:<13} {registers:9} {spills:12} {frame:6} {shared:13} {share:9.0%}")
            if spills:
                spilled.append(f"{kernel} on sm_{arch}")
    if spilled:
        sys.exit("registers are spilled by " + ", ".join(spilled))


if __name__ == "__main__":
    main()
