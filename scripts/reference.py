#!/usr/bin/python3
"""The committed reference results: small variants on synthetic data, and the comparison of a fresh run with them.

  scripts/reference.py check    runs anew with 1 and with 3 threads and compares; says what differs
  scripts/reference.py write    runs anew and writes results/reference/ (then look at git diff)

Everything that a run reports but times, memory and the machine is compared: text and counts exactly, numbers that passed
through libm (whose last bit depends on the processor) to 1e-9 of their size.
"""
import argparse
import csv
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from maskplots.results import KEYS, QUALIFIERS
from maskplots.schema import DEFAULTS
from maskplots.terminal import one_line

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "results" / "reference"

SMALL = ["--scale", "small", "--set", "data.source=synthetic", "--set", "repeats=1"]
SWEEPS = {
    "quickstart": ["configs/quickstart.yaml", *SMALL, "--set", "data.dataset=adult", "--set", "privacy.eps_ap=[0.5,8]"],
    "fig-label-attack": ["configs/fig-label-attack.yaml", *SMALL, "--set", "attack.name=[label-subspace,label-average,leaf]",
                         "--set", "privacy.delta_ap=0.001", "--set", "privacy.eps_ap=2"],
}

MACHINE = {"backend", "commit", "cpu", "threads", "compiler"}
# label-nn computes in libtorch, which chooses its sums by the processor.
NOT_COMPARED = {"label-nn"}
# Ranks, counts and bytes, decided by integers: these have no tolerance.
EXACT = ("test_auc", "train_auc", "test_accuracy", "trees", "wire_bytes", "message_bytes", "attack_accuracy", "attack_auc",
         "bit_match")
TOLERANCE = 1e-9
PLACE = ("run", "metric", "round", *QUALIFIERS)  # what names a number


def place(row):
    return tuple(row[name] for name in PLACE)


def is_deterministic(row):
    return row["unit"] != "s" and row["metric"] != "peak_rss"


def deterministic_rows(folder):
    """The runs of a results folder without what names the machine, and their numbers without times and memory; sorted."""
    runs = [{k: v for k, v in row.items() if k not in MACHINE} for row in read_csv(Path(folder) / "runs.csv")
            if row["attack"] not in NOT_COMPARED]
    names = {row["run"] for row in runs}
    numbers = [row for row in read_csv(Path(folder) / "results.csv") if row["run"] in names and is_deterministic(row)]
    return sorted(runs, key=lambda row: (row["config"], row["run"])), sorted(numbers, key=place)


def numbered(runs, numbers):
    """Runs get numbers in the order of their settings: their hashes change with every new key of the schema, their results
    do not. So keys that all runs leave at their defaults are left out too."""
    idle = {key for key in KEYS if all(row.get(key, "") in ("", DEFAULTS[key]) for row in runs)}
    settings = {row["run"]: {k: v for k, v in row.items() if k != "run" and k not in idle} for row in runs}
    order = sorted(settings, key=lambda run: list(settings[run].values()))
    number = {run: str(i) for i, run in enumerate(order, 1)}
    numbers = [{**row, "run": number[row["run"]]} for row in numbers]
    return ([{"run": number[run], **settings[run]} for run in order],
            sorted(numbers, key=lambda row: (int(row["run"]), row["metric"], int(row["round"] or -1), place(row))))


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def same_value(metric, reference, fresh):
    if reference == fresh:
        return True
    if metric.startswith(EXACT):
        return False
    try:
        return math.isclose(float(reference), float(fresh), rel_tol=TOLERANCE, abs_tol=0)
    except ValueError:
        return False


def differences(reference, fresh):
    """Of two lists of numbers, as lines for people."""
    old, new = {place(r): r for r in reference}, {place(r): r for r in fresh}
    def named(key):
        return " ".join(filter(None, key))

    found = [f"only in the reference: {named(key)}" for key in sorted(old.keys() - new.keys())]
    found += [f"only in the fresh run: {named(key)}" for key in sorted(new.keys() - old.keys())]
    for key in sorted(old.keys() & new.keys()):
        a, b = old[key], new[key]
        if not same_value(a["metric"], a["value"], b["value"]):
            found.append(f"{named(key)}: {a['value']} in the reference, now {b['value']}")
        if any(a[k] != b[k] for k in ("unit", "status", "reason")):
            found.append(f"{named(key)}: other unit, status or reason")
    return sorted(found)


def run_sweep(program, name, threads=None):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", *SWEEPS[name], "--out", folder]
        command += ["--threads", str(threads)] if threads else []
        environment = {k: v for k, v in os.environ.items() if k != "MASKBENCH_DATA"}
        ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"reference.py: {' '.join(command)}: {ended.stderr.strip().splitlines()[-1]}")
        return numbered(*deterministic_rows(folder))


def check(program, name, threads):
    runs, numbers = run_sweep(program, name, threads)
    folder = FOLDER / name
    if read_csv(folder / "runs.csv") != runs:
        return [f"{name}: the config or the data has changed (runs.csv); scripts/reference.py write"]
    return [f"{name}: {line}" for line in differences(read_csv(folder / "results.csv"), numbers)]


def write(program, name):
    runs, numbers = run_sweep(program, name)
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "runs.csv", runs)
    write_csv(folder / "results.csv", numbers)
    print(f"reference.py: {folder.relative_to(ROOT)}: {len(runs)} runs, {len(numbers)} numbers")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("check", "write"))
    parser.add_argument("--program", default=str(ROOT / "build" / "maskbench"), help="maskbench [build/maskbench]")
    options = parser.parse_args(argv)
    if not os.access(options.program, os.X_OK):
        sys.exit(f"reference.py: {options.program} is not there; build it first (scripts/build.sh maskbench)")
    if options.action == "write":
        for name in SWEEPS:
            write(options.program, name)
        return
    found = [f"{line} ({threads} threads)" for name in SWEEPS for threads in (1, 3)
             for line in check(options.program, name, threads)]
    for line in found[:20]:
        print(one_line(line))
    if found:
        sys.exit(f"reference.py: {len(found)} differences from results/reference/")
    print("reference.py: all as in results/reference/")


if __name__ == "__main__":
    main()
