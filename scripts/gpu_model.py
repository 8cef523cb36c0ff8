#!/usr/bin/python3
"""A MODEL of seconds a tree on two GPUs beside a CPU's: gpu_model.py [--measure MASKBENCH] [--shape NAME]...

Nobody has run this program on a GPU. The model adds up, for a tree of depth 6 with 32 bins, half of the features at each party
and W = 1:
  calls      launches, copies and synchronisations, each with a usual latency; counted by build/device_counts, which trains
             with the CUDA backend's own source on the host (tests/device);
  copies     bytes over PCIe, counted likewise;
  kernels    the larger of lane instructions (a cell's, from SASS: tests/kernels/sass_budget.py) at 70 % of the peak issue
             rate and bytes at 85 % of the memory's bandwidth, kernel by kernel;
  host       the host's own work between the calls, MEASURED by device_counts on this machine: processor time, one thread.
10^7 rows are counted at 250000 and scaled by 40 (~): bytes, cells, blocks and the host's work.
A GPU `pays` below .8 of the CPU's seconds, is `even` up to 1.25, else it `does not`.
CPU seconds: measured now with --measure (synthetic data, two threads); else those of docs/profiling.md, on a quiet machine.
"""
import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LEVELS = 6
# What device_counts is given, how often its rows are the shape's, features of each party.
SHAPES = {"adult": (["adult"], 1, 7), "higgs": (["higgs"], 1, 14), "10^7 x 100": (["higgs", "250000", "100"], 40, 50)}
MODES = ["nonprivate", "materialised", "fused", "collapsed"]
# Two threads, docs/profiling.md ("One grid beside two"; plain trees: "Methods beside each other"; collapsed: one thread).
CPU = {"adult": dict(nonprivate=.0011, materialised=.0263, fused=.0071, collapsed=.0026),
       "higgs": dict(nonprivate=.0088, materialised=.254, fused=.070, collapsed=.0143)}
# Lane instructions: of a cell from SASS (sm_80, sm_90); a row of a feature in a histogram: its loop's body. The last four
# are estimates: mask and sum are bound by memory.
INSTRUCTIONS = {"noise": (97, 104), "count": (17, 18), "normal": (44, 44), "histogram": (37, 37), "mask": (25, 25),
                "sum": (25, 25), "collapsed": (1500, 1500)}
# Published: SMs, boost clock, memory bandwidth, PCIe. Latencies of calls: usual values, seconds.
GPUS = {
    "A100": dict(column=0, sms=108, clock=1.41e9, memory=1.555e12, pcie=25e9, launch=4e-6, copy=7e-6, sync=10e-6),
    "H100": dict(column=1, sms=132, clock=1.755e9, memory=3.35e12, pcie=50e9, launch=3e-6, copy=6e-6, sync=8e-6),
}


def counted(program, shape):
    """{mode: what device_counts says of a tree}, scaled to the shape's rows."""
    arguments, scale, _ = SHAPES[shape]
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gpu_model.py: {program}: {done.stderr.strip()}")
    return {line["mode"]: scaled(line, scale) for line in map(json.loads, done.stdout.splitlines())}


def scaled(counts, factor):
    out = dict(counts)
    for name in ("rows", "bytes", "cells", "blocks", "host_seconds"):
        out[name] *= factor
    more = out["blocks"] - counts["blocks"]
    out["launches"] += 3 * more  # a block: noise, mask, sum
    out["copies"] += more        # AP's weights
    return out


def kernels_of(mode, counts, features):
    """(kernel, how many, bytes) of a tree."""
    rows, cells = counts["rows"], counts["cells"]
    summed = rows * (1 + (LEVELS - 1) / 2)  # of two siblings the smaller
    histogram = ("histogram", summed * features, summed * (features + 12))
    if mode == "nonprivate":
        return [histogram] * 2
    masked = [histogram] * 2  # AP's own, and PP's counts of rows
    if mode == "materialised":
        return masked + [("count", cells, cells), ("noise", cells, 5 * cells), ("mask", cells, 12 * cells),
                         ("sum", cells, 9 * cells)]
    masked.append(histogram)  # the exact sums of the simulated modes
    if mode == "fused":
        return masked + [("normal", cells / 2, 0)]
    return masked + [("collapsed", counts["candidates"] * 2**LEVELS, 0)]


def tree_seconds(mode, counts, features, gpu):
    issue = gpu["sms"] * 128 * gpu["clock"] * .7  # lanes
    return {
        "calls": counts["launches"] * gpu["launch"] + counts["copies"] * gpu["copy"]
                 + counts["synchronisations"] * gpu["sync"],
        "copies": counts["bytes"] / gpu["pcie"],
        "kernels": sum(max(INSTRUCTIONS[kernel][gpu["column"]] * count / issue, size / (.85 * gpu["memory"]))
                       for kernel, count, size in kernels_of(mode, counts, features)),
        "host": counts["host_seconds"],
    }


def verdict(model, cpu):
    return "pays" if model < .8 * cpu else "even" if model < 1.25 * cpu else "does not"


def measure(maskbench, dataset, mode):
    method = "method: nonprivate" if mode == "nonprivate" else f"method: masked\nmode: {mode}"
    config = (f"name: model\ndata: {{dataset: {dataset}, source: synthetic}}\ntrain: {{rounds: 4, max_depth: {LEVELS}}}\n"
              f"{method}\nrepeats: 1\n")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.yaml").write_text(config)
        done = subprocess.run([maskbench, "run", f"{folder}/model.yaml", "--out", f"{folder}/out", "--threads", "2"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"gpu_model.py: {maskbench}: {done.stderr.strip()}")
        with open(f"{folder}/out/results.csv", newline="") as file:
            return next(float(r["value"]) for r in csv.DictReader(file)
                        if r["metric"] == "seconds_per_tree" and not r["round"])


def cpu_seconds(maskbench):
    """By shape and mode. 10^7 rows: higgs's, by cells (materialised, fused) or by rows times features."""
    cpu = {name: {mode: measure(maskbench, name, mode) for mode in MODES} for name in CPU} if maskbench else CPU
    wide = 10**7 * 100 / (200000 * 28)
    return {**cpu, "10^7 x 100": {mode: wide * cpu["higgs"][mode] for mode in MODES}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--measure", metavar="MASKBENCH", help="measure the CPU's seconds with this program")
    parser.add_argument("--counts", metavar="PROGRAM", default=root / "build/device_counts", help="default: %(default)s")
    parser.add_argument("--shape", action="append", choices=list(SHAPES), help="default: all of them")
    arguments = parser.parse_args()
    if not Path(arguments.counts).exists():
        sys.exit(f"gpu_model.py: {arguments.counts} is missing; cmake --build build --target device_counts")
    cpu = cpu_seconds(arguments.measure)
    print("A MODEL, not a measurement: milliseconds a tree (calls + copies + kernels + host)")
    print(f"{'shape':<11} {'mode':<13} {'CPU ms':>9}  " + "  ".join(f"{g + ' model ms':>38} {'GPU':<8}" for g in GPUS))
    for name in arguments.shape or SHAPES:
        counts = counted(arguments.counts, name)
        for mode in MODES:
            line = f"{name:<11} {mode:<13} {' ' if name in CPU else '~'}{1e3 * cpu[name][mode]:8.1f}"
            for gpu in GPUS.values():
                parts = tree_seconds(mode, counts[mode], SHAPES[name][2], gpu)
                model = sum(parts.values())
                text = " + ".join(f"{1e3 * p:.2f}" if p < .01 else f"{1e3 * p:.0f}" for p in parts.values())
                line += f"  {f'{1e3 * model:.1f} ({text})':>38} {verdict(model, cpu[name][mode]):<8}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
