#!/usr/bin/env python3
"""Compares a run by two parties with the same run in one process: compare_parties.py DIR (of two_parties.sh)

Prints a table; the last line says whether both models are the same, byte for byte, and all results but times and what
only a judge with both parties' data can compute. Exit 1 if not.
"""
import csv
import sys
from pathlib import Path

from maskplots.terminal import one_line

SHOWN = ["test_auc", "test_rmse", "trees", "seconds_per_tree", "party_seconds_per_tree AP", "party_seconds_per_tree PP",
         "waiting_seconds_per_tree", "wire_bytes", "eps AP stated", "eps PP stated", "eps AP wire", "eps PP wire"]


def rows(folder, name):
    with open(folder / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def name_of(row):
    """metric, party, kind and view; the reading of an eps_other"""
    parts = [row["metric"], row["party"], row["kind"], row["view"]]
    if row["metric"] == "eps_other":
        parts += [row["scope"], row["privacy_unit"], row["composition"], row["theorem3"]]
    return " ".join(filter(None, parts))


def results(folder):
    return {(name_of(row), row["round"]): row for row in rows(folder, "results.csv")}


def is_measured(row):
    return row["unit"] == "s" or row["metric"] in ("peak_rss", "party_peak_rss")


def model(folder, role):
    return next(folder.glob(f"models/*/{role}.json")).read_bytes()


def differences(one, two):
    """Metrics of the two parties that one process has otherwise, or not at all."""
    return [key[0] for key, row in two.items() if not is_measured(row) and
            any(one.get(key, {}).get(name) != row[name] for name in ("value", "delta", "unit", "status", "reason"))]


def main():
    folder = Path(sys.argv[1])
    one, two = results(folder / "one"), results(folder / "two")
    method = rows(folder / "one", "runs.csv")[0]["method"]
    print(one_line(f"{method:26}{'one process':>16}{'two parties':>16}"))
    for name in SHOWN:
        if (name, "") in one:
            values = [rows[(name, "")]["value"] if (name, "") in rows else "-" for rows in (one, two)]
            print(one_line(f"{name:26}" + "".join(f"{value[:12]:>16}" for value in values)))
    other_models = [role for role in ("ap", "pp") if model(folder / "one", role) != model(folder / "two", role)]
    other_rows = differences(one, two)
    if other_rows:
        print(one_line("results that differ: " + ", ".join(sorted(set(other_rows)))))
    same = not other_models and not other_rows
    both = "both parties' models equal those of the same run in one process, and so do the results"
    print(both if same else "the models or results of the two parties DIFFER from those of one process")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
