#!/usr/bin/env python3
"""Compares a run by two parties with the same run in one process: compare_parties.py DIR (of two_parties.sh)

Prints a table; the last line says whether both models are the same, byte for byte, and all results but times and what
only a judge with both parties' data can compute. Exit 1 if not.
"""
import csv
import re
import sys
from pathlib import Path

TIMES = re.compile(r"(run_seconds|seconds_per_tree.*|tree_seconds|peak_rss.*)$")
SHOWN = ["test_auc", "test_rmse", "trees", "seconds_per_tree", "seconds_per_tree_ap", "seconds_per_tree_pp",
         "seconds_per_tree_waiting", "wire_bytes", "eps_claimed_ap", "eps_claimed_pp", "eps_wire_ap", "eps_wire_pp"]


def results(folder):
    with open(folder / "results.csv", newline="", encoding="utf-8") as file:
        return {(row["metric"], row["round"]): row for row in csv.DictReader(file)}


def model(folder, role):
    return next(folder.glob(f"models/*/{role}.json")).read_bytes()


def differences(one, two):
    """Metrics of the two parties that one process has otherwise, or not at all."""
    return [key[0] for key, row in two.items() if not TIMES.match(key[0]) and
            any(one.get(key, {}).get(name) != row[name] for name in ("value", "unit", "status", "reason"))]


def main():
    folder = Path(sys.argv[1])
    one, two = results(folder / "one"), results(folder / "two")
    first = next(iter(one.values()))
    print(f"{first['method']:26}{'one process':>16}{'two parties':>16}")
    for name in SHOWN:
        if (name, "") in one:
            values = [rows[(name, "")]["value"] if (name, "") in rows else "-" for rows in (one, two)]
            print(f"{name:26}" + "".join(f"{value[:12]:>16}" for value in values))
    other_models = [role for role in ("ap", "pp") if model(folder / "one", role) != model(folder / "two", role)]
    other_rows = differences(one, two)
    if other_rows:
        print("results that differ:", ", ".join(sorted(set(other_rows))))
    same = not other_models and not other_rows
    both = "both parties' models equal those of the same run in one process, and so do the results"
    print(both if same else "the models or results of the two parties DIFFER from those of one process")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
