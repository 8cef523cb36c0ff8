#!/usr/bin/env python3
"""Kernels with one fault each, which the tests on the host must catch.

usage: mutants.py names                          their names, one a line
       mutants.py write NAME SOURCE_ROOT DIR     DIR/kernels: the sources, edited, for the shim
       mutants.py list FILE                      a line `MUTANT(name, caught_by)` for each
       mutants.py table                          the table of docs/profiling.md
       mutants.py check SOURCE_ROOT              is there one for every kernel?

NAME `true` has no fault. In every copy `__shared__ T x[n];` becomes a call of cuda_on_host::shared,
which knows the array's bounds and poisons it for each block.
"""
import pathlib
import re
import sys

# (name, file, of which kernel, from, to, what tells it apart)
CUDA = "kernels/cuda/"
MUTANTS = [
    ("rows_right_by_one", CUDA + "level.cuh", "partition_rows", "right + lane_id() - lefts",
     "right + lane_id() - lefts + 1", "bounds"),
    ("rows_past_the_end", CUDA + "level.cuh", "number_rows", "if (row < count)", "if (row <= count)", "bounds"),
    ("columns_of_the_next_feature", CUDA + "level.cuh", "gather_columns", "bins[row * features + blockIdx.y]",
     "bins[row * features + (blockIdx.y + 1) % features]", "result or uninitialised"),
    ("histogram_flushed_early", CUDA + "histogram.cuh", "histogram", "__syncthreads();  // every row is in", "",
     "race"),
    ("histogram_not_cleared", CUDA + "histogram.cuh", "histogram", "g[bin] = h[bin] = 0;", "g[bin] = 0;",
     "uninitialised"),
    ("subtracted_from_the_wrong_parent", CUDA + "score.cuh", "best_splits", "sums.nodes[node].parent} *",
     "sums.nodes[node].parent + 1} *", "result or bounds or uninitialised"),
    ("later_of_ties", CUDA + "score.cuh", "best_splits", "if (is_better(other, mine)) mine = other;",
     "if (other.score >= mine.score) mine = other;", "result"),
    ("best_read_too_early", CUDA + "score.cuh", "best_splits", "__syncthreads();  // every warp's best is there", "",
     "race or uninitialised"),
    ("counts_of_one_row_more", CUDA + "score.cuh", "left_counts", "static_cast<uint32_t>(left.g);",
     "static_cast<uint32_t>(left.g) + 1;", "result"),
    ("total_by_two_threads", CUDA + "score.cuh", "left_sums", "if (threadIdx.x == 0) out[", "if (threadIdx.x < 2) out[",
     "race"),
    ("sums_not_cleared", CUDA + "noise.cuh", "own_tiles", "sums_g[index] = sums_h[index] = 0;", "sums_g[index] = 0;",
     "uninitialised or result"),
    ("count_past_the_node", CUDA + "noise.cuh", "count_active", "is_set = j < rows &&", "is_set = j <= rows &&",
     "uninitialised"),
    ("noise_without_barrier", CUDA + "noise.cuh", "noise", "__syncwarp();  // both rings are filled", "", "race or uninitialised"),
    ("noise_wrong_predecessor", CUDA + "noise.cuh", "noise", "rank > 0 ? rank - 1 : view.job.active - 1",
     "rank > 0 ? rank - 1 : 0", "result"),
    ("noise_ring_too_short", CUDA + "noise.cuh", "noise", "rings[kWarps][kRings];", "rings[kWarps][kRings - 1];",
     "race or bounds"),
    ("noise_first_p_forgotten", CUDA + "noise.cuh", "noise", "view.job.active > 0", "view.job.active > 1",
     "uninitialised"),
    ("mask_past_the_tile", CUDA + "sums.cuh", "mask", "j < rows; j += 32) {\n    const GradientPair",
     "j <= rows; j += 32) {\n    const GradientPair", "race or bounds or uninitialised"),
    ("sums_without_atomics", CUDA + "sums.cuh", "sum_masked", "add_to(&sums_g[view.index], g);",
     "sums_g[view.index] += g;", "race"),
    ("ranks_one_too_many", CUDA + "sums.cuh", "rank_sums", "lane_id() < ranks)", "lane_id() <= ranks)", "result"),
    ("collapsed_off_by_one", CUDA + "sums.cuh", "collapsed", "params.sums_h[i] = h;", "params.sums_h[i] = h + 1;",
     "result"),
    ("noisy_best_of_the_next", CUDA + "sums.cuh", "best_noisy", "mine.consider(score_of(left), i);",
     "mine.consider(score_of(left), i + 1);", "result"),
    ("counts_freed_early", CUDA + "device_backend.hpp", "host", "counts_.of(device_, tiles);",
     "device_.template allocate<uint32_t>(tiles).data();", "freed"),
    ("stage_used_again", CUDA + "device_memory.hpp", "host", "if (!device_.is_done(mark_)) device_.finish();", "",
     "host changed"),
    ("results_not_waited_for", CUDA + "device_memory.hpp", "host", "if (!device.is_done(mark_)) device.finish();", "",
     "result"),
    ("fmad_left_on", "", "best_splits", "", "", "result"),  # compiled with contraction (setup.cmake)
    ("unfused_fma", "kernels/random/normal.hpp", "noise", "return std::fma(a, b, c);", "return a * b + c;", "result"),
]
SHARED = re.compile(r"__shared__ ([\w:<> ]+?) (\w+)((?:\[[^\]]*\])*);")


def write(name, root, folder):
    known = [m for m in MUTANTS if m[0] == name]
    if name != "true" and not known:
        sys.exit(f"mutants.py: there is no mutant {name}")
    edits = {m[1]: m for m in known if m[1]}
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    files = [p.relative_to(root).as_posix() for p in sorted((root / CUDA).glob("*.[ch]*"))]
    for file in sorted({*files, *edits}):
        source = (root / file).read_text()
        if file in edits:
            _, _, _, old, new, _ = edits[file]
            if old not in source:
                sys.exit(f"mutants.py: {name}: {old!r} is not in {file}")
            source = source.replace(old, new)
        source = SHARED.sub(r'auto& \2 = cuda_on_host::shared<\1\3>([] {}, "\2");', source)
        if re.search(r"^\s*__shared__", source, re.M):
            sys.exit(f"mutants.py: {file}: a __shared__ that is not `__shared__ type name[size];`")
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source)


def check(root):
    kernels = set()
    for file in sorted((pathlib.Path(root) / CUDA).glob("*.cuh")):
        kernels |= set(re.findall(r"__global__ void __launch_bounds__\([^)]*\)\s+(\w+)\(", file.read_text()))
    if without := kernels - {m[2] for m in MUTANTS}:
        sys.exit(f"mutants.py: no fault is tried in {', '.join(sorted(without))}")


def table():
    print("| fault | kernel | caught by |\n|---|---|---|")
    for name, _, kernel, _, _, caught in MUTANTS:
        print(f"| {name.replace('_', ' ')} | {kernel} | {caught} |")


def main():
    command, *rest = sys.argv[1:] or ["help"]
    if command == "names":
        print("\n".join(m[0] for m in MUTANTS))
    elif command == "write" and len(rest) == 3:
        write(*rest)
    elif command == "list" and len(rest) == 1:
        text = "".join(f'MUTANT({m[0]}, "{m[5]}")\n' for m in MUTANTS)
        pathlib.Path(rest[0]).write_text(text)
    elif command == "table":
        table()
    elif command == "check" and len(rest) == 1:
        check(*rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
