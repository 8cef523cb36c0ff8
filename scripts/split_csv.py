#!/usr/bin/env python3
"""Splits a data set (label first) into the files of two parties: split_csv.py DATA.csv OUT [--ap-columns a,b]

OUT/ap.csv has label, id and AP's features, OUT/pp.csv id and PP's, each in an order of rows of its own; the id is
the row's number. Without a list AP gets the first half of the features. Prints AP's columns. With --demo DATA.csv is
written first: a small data set to try things out.
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


def split(data, out, ap_columns):
    opened = gzip.open if str(data).endswith(".gz") else open
    with opened(data, "rt", newline="", encoding="utf-8") as file:
        header, *rows = [row for row in csv.reader(file) if row]
    if header[0] != "label":
        sys.exit(f"{data}: the first column is not label")
    features = header[1:]
    ap = ap_columns or features[: len(features) // 2]
    unknown = [name for name in ap if name not in features]
    if unknown:
        sys.exit(f"{data}: no column '{unknown[0]}'")
    of_ap = [header.index(name) for name in features if name in ap]
    of_pp = [header.index(name) for name in features if name not in ap]
    out.mkdir(parents=True, exist_ok=True)
    numbered = list(enumerate(rows, 1))
    write(out / "ap.csv", ["label", "id"] + [header[k] for k in of_ap],
          ([row[0], i] + [row[k] for k in of_ap] for i, row in numbered), 1)
    write(out / "pp.csv", ["id"] + [header[k] for k in of_pp],
          ([i] + [row[k] for k in of_pp] for i, row in numbered), 2)
    return [header[k] for k in of_ap]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ap-columns", default="")
    parser.add_argument("--demo", action="store_true")
    args = parser.parse_args()
    if args.demo:
        demo(args.data)
    print(one_line(",".join(split(args.data, args.out, [name for name in args.ap_columns.split(",") if name]))))


if __name__ == "__main__":
    main()
