#!/usr/bin/python3
"""One stacked figure of what `nsys stats` summed up: profile_figure.py FOLDER NAME

Reads FOLDER/NAME_{nvtx_sum,cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum}.csv and writes FOLDER/NAME.csv (one line
a part: bar, part, seconds, count) and FOLDER/NAME.svg: four bars of seconds, the host's ranges, the calls of CUDA's
API, the copies, and the kernels by phase. The bars overlap in time: a kernel runs while the host waits in a call.
"""
import csv
import re
import sys
from pathlib import Path

from maskplots.terminal import one_line

# A phase and the kernels of kernels/cuda that are its own.
PHASES = {
    "rows": ["partition_rows", "number_rows", "gather_columns"],
    "histogram": ["histogram"],
    "search": ["best_splits", "left_sums", "left_counts", "scan_score", "score"],
    "noise": ["own_tiles", "count_active", "active_bits", "noise"],
    "mask": ["mask"],
    "sums": ["sum_masked", "rank_sums", "collapsed", "best_noisy"],
}
LARGEST = 7  # parts of a bar that have a name; the others are one part


class BadReport(Exception):
    """Not what nsys writes."""

    def __init__(self, message):
        super().__init__(one_line(message))


def rows_of(path, name_column):
    """(name, seconds, count) of each line of one of nsys's sums."""
    if not path.is_file():
        raise BadReport(f"{path}: no such file; run nsys stats --format csv (scripts/profile.sh does)")
    with open(path, newline="") as file:
        table = list(csv.DictReader(file))
    counts = ("Instances", "Num Calls", "Count")
    rows = []
    for number, row in enumerate(table, 2):
        count = next((row[c] for c in counts if c in row), None)
        if "Total Time (ns)" not in row or name_column not in row or count is None:
            raise BadReport(f"{path}:{number}: no column 'Total Time (ns)', '{name_column}' or a count; "
                            "is it a sum of nsys stats --format csv?")
        rows.append((row[name_column], float(row["Total Time (ns)"]) * 1e-9, int(count)))
    return rows


def host_part(name):
    """`maskbench:AP tree` without its domain; None for other domains and for what contains other ranges."""
    domain, _, rest = name.partition(":")
    if domain != "maskbench" or rest.endswith((" tree", " level")):
        return None
    return rest


def phase_of(kernel):
    short = re.sub(r"<.*|\(.*", "", kernel.replace("(anonymous namespace)::", "")).split("::")[-1].split(" ")[-1]
    for phase, kernels in PHASES.items():
        if short in kernels:
            return phase
    return "scan (CUB)" if "cub" in kernel.lower() else "other kernels"


def total(rows, name_of):
    """{part: (seconds, count)}, the largest first; small ones together."""
    parts = {}
    for name, seconds, count in rows:
        if (part := name_of(name)) is not None:
            before = parts.get(part, (0, 0))
            parts[part] = (before[0] + seconds, before[1] + count)
    ordered = sorted(parts.items(), key=lambda item: -item[1][0])
    rest = ordered[LARGEST:]
    kept = dict(ordered[:LARGEST])
    if rest:
        kept["all others"] = (sum(v[0] for _, v in rest), sum(v[1] for _, v in rest))
    return kept


def bars_of(folder, name):
    read = lambda report, column: rows_of(Path(folder) / f"{name}_{report}.csv", column)
    return {
        "host": total(read("nvtx_sum", "Range"), host_part),
        "API": total(read("cuda_api_sum", "Name"), lambda call: re.sub(r"_v\d+$", "", call)),
        "copies": total(read("cuda_gpu_mem_time_sum", "Operation"), lambda what: what.strip("[]").replace("CUDA ", "")),
        "kernels": total(read("cuda_gpu_kern_sum", "Name"), phase_of),
    }


def write_csv(bars, path):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["bar", "part", "seconds", "count"])
        for bar, parts in bars.items():
            for part, (seconds, count) in parts.items():
                out.writerow([bar, part, f"{seconds:.9f}", count])


def draw(bars, title, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for place, (bar, parts) in enumerate(bars.items()):
        bottom = 0
        for number, (part, (seconds, _)) in enumerate(parts.items()):
            axes.bar(place, seconds, bottom=bottom, width=0.6, color=f"C{number % 10}", edgecolor="white")
            axes.annotate(part, (place + 0.31, bottom + seconds / 2), fontsize=7, va="center", annotation_clip=False)
            bottom += seconds
    axes.set_xticks(range(len(bars)), bars)
    axes.set_xlim(-0.5, len(bars))
    axes.set_ylabel("seconds in all")
    axes.set_title(f"{title}: the bars overlap in time")
    figure.savefig(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, name = Path(sys.argv[1]), sys.argv[2]
    try:
        bars = bars_of(folder, name)
    except BadReport as error:
        sys.exit(f"profile_figure.py: {error}")
    write_csv(bars, folder / f"{name}.csv")
    draw(bars, name, folder / f"{name}.svg")
    print(f"{folder}/{name}.csv, {folder}/{name}.svg")


if __name__ == "__main__":
    main()
