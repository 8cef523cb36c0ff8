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
    ("bits_past_the_node", CUDA + "noise.cuh", "active_bits", "j < view.rows) {", "j <= view.rows) {", "uninitialised"),
    ("bits_by_two_lanes", CUDA + "noise.cuh", "active_bits", "if (lane_id() == 0) {\n      bits",
     "if (lane_id() < 2) {\n      bits", "race"),
    ("noise_without_barrier", CUDA + "noise.cuh", "noise", "__syncthreads();  // both streams are complete", "",
     "race"),
    ("noise_wrong_predecessor", CUDA + "noise.cuh", "noise", "p[1 + rank] - p[rank]",
     "p[1 + rank] - p[rank > 0 ? rank - 1 : 0]", "result"),
    ("noise_ring_too_short", CUDA + "noise.cuh", "noise", "p[1 + kTile];", "p[kTile];", "bounds"),
    ("noise_first_p_forgotten", CUDA + "noise.cuh", "noise", "active.count > 0", "active.count > 1",
     "uninitialised"),
    ("sum_read_too_late", CUDA + "noise.cuh", "sum_masked", "__syncthreads();  // an earlier sum has been read", "",
     "race"),
    ("mask_past_the_tile", CUDA + "sums.cuh", "mask", "j < view.rows; j += kThreads) {\n    const size_t row",
     "j <= view.rows; j += kThreads) {\n    const size_t row", "race"),
    ("sums_without_atomics", CUDA + "sums.cuh", "sum_masked", "add_to(&sums_g[view.index], g);",
     "sums_g[view.index] += g;", "race"),
    ("ranks_one_too_many", CUDA + "sums.cuh", "rank_sums", "left < kTile ? left : kTile}",
     "left < kTile ? left + 1 : kTile}", "result"),
    ("collapsed_past_the_end", CUDA + "sums.cuh", "collapsed",
     "if (i >= count) return;\n  const StreamId", "if (i > count) return;\n  const StreamId", "bounds"),
    ("histogram_flushed_early", CUDA + "histogram.cuh", "histogram", "__syncthreads();  // every row is in", "",
     "race"),
    ("histogram_not_cleared", CUDA + "histogram.cuh", "histogram", "g[bin] = h[bin] = 0;", "g[bin] = 0;",
     "uninitialised"),
    ("later_of_ties", CUDA + "score.cuh", "scan_score", "is_better(other, mine)", "other.score >= mine.score",
     "result"),
    ("best_by_two_lanes", CUDA + "score.cuh", "scan_score", "if (lane_id() != 0) return;",
     "if (lane_id() > 1) return;", "race"),
    ("score_past_the_end", CUDA + "score.cuh", "score", "if (i >= count) return;\n  BestCandidate",
     "if (i > count) return;\n  BestCandidate", "bounds"),
    ("bins_on_one_stream", CUDA + "device_backend.hpp", "all", "device_.finish();  // both streams use it", "",
     "race or freed"),
    ("cells_from_wrong_stream", CUDA + "device_backend.hpp", "noise", "device_.download(cells,",
     "device_.next_lane();\n      device_.download(cells,", "race or freed"),
    ("unfused_fma", "kernels/random/normal.hpp", "noise", "return std::fma(a, b, c);", "return a * b + c;", "result"),
]
SHARED = re.compile(r"__shared__ ([\w:<> ]+?) (\w+)((?:\[[^\]]*\])*);")


def write(name, root, folder):
    edits = {m[1]: m for m in MUTANTS if m[0] == name}
    if name != "true" and not edits:
        sys.exit(f"mutants.py: there is no mutant {name}")
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
        kernels |= set(re.findall(r"__global__ void __launch_bounds__\(kThreads\)\s+(\w+)\(", file.read_text()))
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
