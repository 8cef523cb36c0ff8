#!/usr/bin/env python3
"""SassBudget: what a cell costs in lane instructions, and the most it may cost.

usage: sass_budget.py NVCC SOURCE_ROOT [--arch N]... [--budget kernel=N]...
Prints kernel, architecture, instructions of a task's warp, lane instructions a cell; exits 1 above a budget, 77 without
nvdisasm (on PATH, beside nvcc, in $MASKBENCH_NVDISASM, or in the virtual environment of $MASKBENCH_PYTHON, where
PyPI's nvidia-cuda-nvdisasm puts it). How it counts: sass.py.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import sass

# kernel: (cells of a warp's task, how often each loop's body runs in it, lane instructions a cell at most).
# noise: a warp has 1024 rows, half of them active: 8 groups of 128 rows. Of each of its two streams it needs 512 normals
# in a row, which begin anywhere in a group of 128 and so lie in 5 groups. Its last two loops are those of a last group that
# is not full, of which 1024 rows have none (the rest of that code is counted all the same). rank_sums (fused): 1024 ranks in 8 groups; a
# cell here is a normal, of which a candidate needs n_A. count_active: 1024 rows, 32 at a time, unrolled by 4.
TASKS = {
    "noise": (1024, [8, 5, 5, 0, 0], 105),
    "rank_sums": (1024, [8], 50),
    "count_active": (1024, [8, 0], 25),
}


def find_nvdisasm(nvcc):
    places = [os.environ.get("MASKBENCH_NVDISASM"), shutil.which("nvdisasm"), pathlib.Path(nvcc).parent / "nvdisasm"]
    if python := os.environ.get("MASKBENCH_PYTHON"):
        places += pathlib.Path(python).parent.parent.glob("lib/python*/site-packages/nvidia/*/bin/nvdisasm")
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    print("SKIPPED: nvdisasm is not installed (CUDA's toolkit, or PyPI's nvidia-cuda-nvdisasm in build/venv)")
    sys.exit(77)


def listing(nvcc, nvdisasm, root, arch):
    with tempfile.TemporaryDirectory() as folder:
        cubin = f"{folder}/kernels.cubin"
        compiled = subprocess.run(
            [nvcc, "-std=c++20", "-O3", "-fmad=false", f"-arch=sm_{arch}", "-cubin", f"-I{root}", "-o", cubin,
             f"{root}/tests/kernels/ptxas_kernels.cu"], capture_output=True, text=True)
        if compiled.returncode:
            sys.exit(compiled.stderr)
        return subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout


def lines_of(functions, kernel):
    mangled = f"6device{len(kernel)}{kernel}"
    found = [lines for name, lines in functions.items() if mangled in name]
    if len(found) != 1:
        sys.exit(f"sass_budget.py: {len(found)} kernels are called {kernel}; is TASKS still right?")
    return found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nvcc")
    parser.add_argument("root")
    parser.add_argument("--arch", action="append")
    parser.add_argument("--budget", action="append", default=[], help="kernel=lane instructions a cell")
    arguments = parser.parse_args()
    budgets = {kernel: task[2] for kernel, task in TASKS.items()}
    budgets.update((kernel, float(most)) for kernel, most in (b.split("=") for b in arguments.budget))
    nvdisasm = find_nvdisasm(arguments.nvcc)
    above = []
    print("arch   kernel        instructions of a task  lane instructions a cell  budget")
    for arch in arguments.arch or ["80", "90"]:
        functions = sass.functions(listing(arguments.nvcc, nvdisasm, arguments.root, arch))
        for kernel, (cells, trips, _) in TASKS.items():
            try:
                count = sass.count(lines_of(functions, kernel), trips)
            except sass.CountError as error:
                sys.exit(f"sass_budget.py: {kernel} on sm_{arch}: {error}")
            a_cell = 32 * count / cells
            print(f"sm_{arch:<3} {kernel:<13} {count:22}  {a_cell:24.1f}  {budgets[kernel]:6}")
            if a_cell > budgets[kernel]:
                above.append(f"{kernel} on sm_{arch}: {a_cell:.1f}")
    if above:
        sys.exit("above the budget: " + ", ".join(above))


if __name__ == "__main__":
    main()
