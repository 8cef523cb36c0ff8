#!/usr/bin/env python3
"""Seconds a tree of two builds of maskbench, interleaved: bench_versions.py OLD NEW [options]

Each round runs every case once with each binary, so that a change of the machine's load meets both. Prints for each
case the median over rounds of the run's median seconds a tree, and the ratio NEW/OLD of these medians."""
import argparse
import csv
import statistics
import subprocess
import tempfile
from pathlib import Path

CASES = {
    "nonprivate": "method=nonprivate train.rounds=20",
    "masked materialised": "method=masked mode=materialised train.rounds=4",
    "masked fused": "method=masked mode=fused train.rounds=4",
    "masked collapsed": "method=masked mode=collapsed train.rounds=20",
    "paillier": "method=paillier train.rounds=1",
}


def config(dataset, settings, name):
    lines = [f"name: {name}", f"data: {{dataset: {dataset}, source: synthetic}}"]
    sections = {}
    for word in settings.split():
        key, value = word.split("=")
        if "." in key:
            section, field = key.split(".")
            sections.setdefault(section, []).append(f"{field}: {value}")
        else:
            lines.append(f"{key}: {value}")
    lines += [f"{section}: {{{', '.join(fields)}}}" for section, fields in sections.items()]
    return "\n".join(lines) + "\n"


def seconds(binary, path, threads, folder):
    out = Path(folder) / "out"
    subprocess.run([binary, "run", str(path), "--out", str(out), "--threads", str(threads), "--fresh"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out / "results.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["metric"] == "seconds_per_tree_median":
                return float(row["value"])
    raise SystemExit(f"{binary}: no seconds_per_tree_median in {out}/results.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--dataset", default="adult", help="a shape of `maskbench list` [adult]")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5, help="of interleaving [5]")
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = {case: ([], []) for case in args.cases}
        for case in args.cases:
            (Path(folder) / f"{case.replace(' ', '-')}.yaml").write_text(
                config(args.dataset, CASES[case], case.replace(" ", "-")), encoding="utf-8")
        for _ in range(args.rounds):
            for case in args.cases:
                path = Path(folder) / f"{case.replace(' ', '-')}.yaml"
                for binary, column in zip((args.old, args.new), times[case]):
                    column.append(seconds(binary, path, args.threads, folder))
    print(f"{args.dataset}, {args.threads} thread(s), {args.rounds} interleaved rounds")
    print(f"{'case':<22}{'old s/tree':>12}{'new s/tree':>12}{'new/old':>9}")
    for case, (old, new) in times.items():
        a, b = statistics.median(old), statistics.median(new)
        print(f"{case:<22}{a:>12.5f}{b:>12.5f}{b / a:>9.3f}")


if __name__ == "__main__":
    main()
