#!/usr/bin/python3
"""A MODEL of seconds a tree on two GPUs beside a CPU's: gpu_model.py [--measure MASKBENCH]

Nobody has run this program on a GPU. The model adds up, for a tree of depth 6 with 32 bins and half of the features at each
party, W = 1:
  calls      launches, copies and synchronisations of a level (COUNTS: they do not depend on rows or candidates but for the
             number of blocks; the tests named DeviceBudget count them in whole trainings at two sizes), each with a
             usual latency;
  copies     bytes over PCIe by the sizes of what a level sends (sizes in kernels/cuda/device_level.hpp), page-locked;
  kernels    the larger of lane instructions (a cell's, from SASS: tests/kernels/sass_budget.py) at 70 % of the peak issue
             rate and bytes at 85 % of the memory's bandwidth, kernel by kernel.
The host's own work between the calls is not in it. It is less than a whole `collapsed` tree on the CPU, so
  pays       the model and a whole collapsed tree together are below the CPU's seconds,
  may pay    only the model alone is,
  does not   not even that.
CPU seconds: measured now with --measure (synthetic data, two threads); else those of docs/profiling.md, on a quiet machine.
For 10^7 rows they are scaled from higgs by cells (materialised, fused) or by rows times features, marked ~.
"""
import argparse
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

LEVELS, BINS, W = 6, 32, 1
SHAPES = {"adult": (32651, 14), "higgs": (200000, 28), "10^7 x 100": (10**7, 100)}
MODES = ["nonprivate", "materialised", "fused", "collapsed"]
# Two threads, docs/profiling.md ("One grid beside two"; plain trees: "Methods beside each other"; collapsed: one thread).
CPU = {"adult": dict(nonprivate=.0011, materialised=.0263, fused=.0071, collapsed=.0026),
       "higgs": dict(nonprivate=.0088, materialised=.254, fused=.070, collapsed=.0143)}
# A level of one party, as docs/profiling.md has it from whole trainings: launches, copies, synchronisations, and the launches
# and copies of a block besides.
COUNTS = {"search": (4, 2, 1, 0, 0), "fused": (10, 4, 2, 0, 0), "collapsed": (9, 4, 2, 0, 0), "noise": (12, 4, 2, 2, 0),
          "masks": (4, 2, 1, 1, 1)}
# Lane instructions: of a cell from SASS (sm_80, sm_90); a row of a feature in a histogram: its loop's body. The last two
# are estimates: those kernels are bound by memory.
INSTRUCTIONS = {"noise": (97, 104), "count": (17, 18), "normal": (44, 44), "histogram": (37, 37), "mask": (25, 25),
                "sum": (25, 25), "collapsed": (1500, 1500)}
# Published: SMs, boost clock, memory bandwidth, L2 cache, PCIe. Latencies of calls: usual values, seconds.
GPUS = {
    "A100": dict(column=0, sms=108, clock=1.41e9, memory=1.555e12, l2=40e6, pcie=25e9, launch=4e-6, copy=7e-6, sync=10e-6),
    "H100": dict(column=1, sms=132, clock=1.755e9, memory=3.35e12, l2=50e6, pcie=50e9, launch=3e-6, copy=6e-6, sync=8e-6),
}


def level_bytes(rows, nodes, candidates):
    """What a level sends: rows that go left as bits, tasks and chunks of rows, nodes; of masked a job a candidate."""
    return rows / 8 + rows / 1024 * 20 + rows / 2047 * 12 + 60 * nodes + 88 * candidates


def calls_of(mode, cells, gpu):
    """(launches, copies, synchronisations) of a level of both parties."""
    names = {"nonprivate": ["search", "search"], "materialised": ["masks", "noise"]}
    parts = [COUNTS[name] for name in names.get(mode, ["search", mode])]
    blocks = math.ceil(cells * (4 * W + 8) / (gpu["l2"] / 2))
    return [sum(p[i] + (blocks * p[3 + i] if i < 2 else 0) for p in parts) for i in range(3)]


def kernels_of(mode, rows, features, nodes):
    """(kernel, how many, bytes) of a level."""
    own = features // 2
    candidates = own * (BINS - 1)
    cells = rows * candidates
    histogram = ("histogram", rows * own, rows * (own + 12))
    if mode == "nonprivate":
        return [histogram] * 2
    masked = [histogram] * 2  # AP's own, and PP's counts of rows
    if mode == "materialised":
        return masked + [("count", cells, cells), ("noise", cells, 5 * cells), ("mask", cells, 12 * cells + 12 * rows),
                         ("sum", cells, 9 * cells)]
    masked.append(histogram)  # the exact sums of the simulated modes
    if mode == "fused":
        return masked + [("normal", cells / 2, 0)]
    return masked + [("collapsed", candidates * nodes, 0)]


def tree_seconds(mode, shape, gpu):
    """{calls, copies, kernels} of a tree."""
    rows, features = shape
    candidates = features // 2 * (BINS - 1)
    issue = gpu["sms"] * 128 * gpu["clock"] * .7  # lanes
    out = {"calls": 0, "copies": 16 * rows / gpu["pcie"], "kernels": 0}  # gradients once a tree, to each side
    for depth in range(LEVELS):
        nodes = 2**depth
        launches, copies, syncs = calls_of(mode, rows * candidates, gpu)
        out["calls"] += launches * gpu["launch"] + copies * gpu["copy"] + syncs * gpu["sync"]
        sent = 0 if mode == "nonprivate" else candidates * nodes
        out["copies"] += (level_bytes(rows, nodes, 0) + level_bytes(rows, nodes, sent)) / gpu["pcie"]
        for kernel, count, size in kernels_of(mode, rows, features, nodes):
            work = INSTRUCTIONS[kernel][gpu["column"]] * count / issue
            out["kernels"] += max(work, size / (.85 * gpu["memory"]))
    return out


def verdict(model, cpu, host):
    if model + host < cpu:
        return "pays"
    return "may pay" if model < cpu else "does not"


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
    cpu = CPU
    if maskbench:
        cpu = {name: {mode: measure(maskbench, name, mode) for mode in MODES} for name in CPU}
    rows, features = SHAPES["10^7 x 100"]
    wide = rows * features / math.prod(SHAPES["higgs"])
    cells = rows * (features // 2) / (SHAPES["higgs"][0] * (SHAPES["higgs"][1] // 2))
    factor = dict(nonprivate=wide, collapsed=wide, materialised=cells, fused=cells)
    return {**cpu, "10^7 x 100": {mode: factor[mode] * cpu["higgs"][mode] for mode in MODES}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", metavar="MASKBENCH", help="measure the CPU's seconds with this program")
    cpu = cpu_seconds(parser.parse_args().measure)
    print("A MODEL, not a measurement: milliseconds a tree (calls + copies + kernels)")
    print(f"{'shape':<11} {'mode':<13} {'CPU ms':>9}  " + "  ".join(f"{g + ' model ms':>36} {'GPU':<8}" for g in GPUS))
    for name, shape in SHAPES.items():
        for mode in MODES:
            mark = "~" if name not in CPU else " "
            line = f"{name:<11} {mode:<13} {mark}{1e3 * cpu[name][mode]:8.1f}"
            for gpu in GPUS.values():
                parts = tree_seconds(mode, shape, gpu)
                model = sum(parts.values())
                text = " + ".join(f"{1e3 * p:.1f}" for p in parts.values())
                line += f"  {f'{1e3 * model:.1f} ({text})':>36} {verdict(model, cpu[name][mode], cpu[name]['collapsed']):<8}"
            print(line)


if __name__ == "__main__":
    main()
