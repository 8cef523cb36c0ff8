#!/usr/bin/env python3
"""Splits a data set into the files of two parties: split_csv.py DATA.csv OUT [--label NAME] [--id NAME] [--ap-columns a,b]

OUT/ap.csv has the labels, the ids and AP's features, OUT/pp.csv the ids and PP's, each in an order of rows of its own.
Without --id it is the column id; if there is none, the row's number. Without --ap-columns AP gets the first half of the features.
Prints AP's columns. With --demo DATA.csv is written first: a small data set to try things out.
"""
import argparse
import csv
import gzip
import math
import random
import sys
from pathlib import Path

from maskplots.terminal import one_line


def demo(path, rows=2000, features=8, seed=1):
    draw = random.Random(seed)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["label"] + [f"f{k}" for k in range(features)])
        for _ in range(rows):
            x = [draw.gauss(0, 1) for _ in range(features)]
            signal = sum((0.8 if k % 2 else -0.6) * v for k, v in enumerate(x)) + x[0] * x[-1]
            label = int(draw.random() < 1 / (1 + math.exp(-signal)))
            cells = [f"{v:.4f}" for v in x]
            cells[1] = "" if draw.random() < 0.1 else cells[1]
            cells[-2] = "red" if x[-2] < -0.5 else "green" if x[-2] < 0.7 else "blue"
            out.writerow([label] + cells)


def write(path, header, rows, seed):
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def read(data):
    """(header, rows)"""
    opened = gzip.open if str(data).endswith(".gz") else open
    with opened(data, "rt", newline="", encoding="utf-8") as file:
        header, *rows = [row for row in csv.reader(file) if row]
    return header, rows


def split(args):
    """Writes both files; AP's columns."""
    header, rows = read(args.data)
    for name in (args.label, *filter(None, [args.id]), *args.drop, *args.ap_columns):
        if name not in header:
            sys.exit(one_line(f"{args.data}: no column '{name}'; there are {', '.join(header)}"))
    ids = args.id or "id"
    features = [name for name in header if name not in (args.label, ids, *args.drop)]
    ap = args.ap_columns or features[: len(features) // 2]
    if unfit := [name for name in ap if name not in features]:
        sys.exit(one_line(f"{args.data}: '{unfit[0]}' is no feature"))
    if ids not in header:
        header, rows = [*header, "id"], [[*row, number] for number, row in enumerate(rows, 1)]
    for seed, (name, wanted) in enumerate({"ap.csv": [args.label, ids, *(f for f in features if f in ap)],
                                           "pp.csv": [ids, *(f for f in features if f not in ap)]}.items(), 1):
        columns = [header.index(column) for column in wanted]
        args.out.mkdir(parents=True, exist_ok=True)
        write(args.out / name, wanted, ([row[k] for k in columns] for row in rows), seed)
    return [name for name in features if name in ap]


def names(text):
    return [name for name in text.split(",") if name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--label", default="label", metavar="NAME", help="the column of the labels [label]")
    parser.add_argument("--id", metavar="NAME", help="the column that names the rows")
    parser.add_argument("--drop", type=names, default=[], metavar="a,b", help="columns to leave out")
    parser.add_argument("--ap-columns", type=names, default=[], metavar="a,b", help="AP's features")
    parser.add_argument("--demo", action="store_true")
    args = parser.parse_args()
    if args.demo:
        demo(args.data)
    print(one_line(",".join(split(args))))


if __name__ == "__main__":
    main()
