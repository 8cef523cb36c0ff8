"""results.csv in memory: a Run holds what its rows have in common, a Point is one metric."""
import csv
import gzip
import math
import re
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path

from .schema import POINT_COLUMNS, RUN_COLUMNS

NUMBERS = ("eps_ap", "delta_ap", "eps_pp", "W", "seed", "seed_partition", "seed_split", "seed_noise",
           "repeat", "threads")
NAMES = ("run", "config", "dataset", "method", "attack")  # files and cells are named by them
STATUSES = ("ok", "skip", "error")
PLAIN_NAME = re.compile(r"(\w[\w.-]*)?", re.ASCII)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
LARGEST = 1e100  # its square is still a number: what is larger is in no mean


class BadResults(Exception):
    """One line for the user: file, line, what is wrong."""


class Run(namedtuple("Run", RUN_COLUMNS)):
    """What its rows have in common: NUMBERS as float or None, params as a sorted tuple of (key, text),
    the others as text (delta_pp is a number or 1/n)."""
    __slots__ = ()

    @property
    def repeat_key(self):
        """What pairs the runs of two methods: the same features with each party, the same rows, the same noise keys."""
        return (self.seed_partition, self.seed_split, self.seed_noise, self.repeat)

    @property
    def reading_name(self):
        """Without what a custom reading lists: custom(...)."""
        return self.reading.split("(")[0]

    @property
    def data_settings(self):
        """What was asked of the data: runs that agree in it should have the same rows before them."""
        asked = [(k, v) for k, v in self.params if k.startswith("data.") or k == "train.objective"]
        return (self.config, self.dataset, *asked)

    def param(self, key, default=None):
        return dict(self.params).get(key, default)


@dataclass(frozen=True)
class Point:
    run: Run
    round: int | None
    metric: str
    value: float  # NaN when the status is not ok
    unit: str
    status: str
    reason: str


def parse_params(text):
    pairs = []
    for piece in text.split(";") if text else ():
        if "=" in piece:
            pairs.append(piece.split("=", 1))
        elif pairs:  # a value with a semicolon in it
            pairs[-1][1] += ";" + piece
    return tuple(sorted((key, value) for key, value in pairs))


def opened(path, mode="rt"):
    """A CSV, or one that is packed: NAME.csv.gz."""
    if Path(path).suffix == ".gz":
        return gzip.open(path, mode, newline="", encoding="utf-8")
    return open(path, mode, newline="", encoding="utf-8")


class _Reader:
    def __init__(self, path):
        self.path = path
        self.runs = {}

    def fail(self, line, message):
        raise BadResults(f"{self.path}:{line}: {message}")

    def number(self, text, column, line):
        try:
            return float(text)
        except ValueError:
            self.fail(line, f"column {column} is '{text}', not a number")

    def read(self):
        try:
            with opened(self.path) as file:
                return self.points(csv.reader(file, strict=True))
        except FileNotFoundError:
            raise BadResults(f"{self.path}: no such file; make it with: maskbench run CONFIG --out DIR")
        except UnicodeDecodeError as error:
            raise BadResults(f"{self.path}: not UTF-8 at byte {error.start}")
        except OSError as error:
            raise BadResults(f"{self.path}: {error.strerror}")

    def points(self, rows):
        try:
            header = next(rows, None)
            if not header:
                self.fail(1, "is empty; run the config again")
            missing = [name for name in RUN_COLUMNS + POINT_COLUMNS if name not in header]
            if missing:
                self.fail(1, f"no column {', '.join(missing)}: not a results.csv of maskbench")
            self.width = len(header)
            self.at = {name: header.index(name) for name in header}
            return [self.point(row, rows.line_num) for row in rows if row]
        except csv.Error as error:
            self.fail(rows.line_num, f"{error}; if the run was killed: maskbench run CONFIG --resume")

    def point(self, row, line):
        if len(row) != self.width:
            self.fail(line, f"{len(row)} cells, the header has {self.width}; "
                            "if the run was killed: maskbench run CONFIG --resume")
        cell = {name: row[self.at[name]] for name in POINT_COLUMNS}
        if cell["status"] not in STATUSES:
            self.fail(line, f"status is '{cell['status']}', not one of {', '.join(STATUSES)}")
        if any(map(CONTROL.search, row)):
            self.fail(line, "a control character in it; run the config again")
        value = math.nan
        if cell["status"] == "ok":
            value = self.number(cell["value"], "value", line)
        at_round = None
        if cell["round"]:
            if not re.fullmatch("[0-9]{1,9}", cell["round"]):
                self.fail(line, f"column round is '{cell['round']}', not a whole number")
            at_round = int(cell["round"])
        return Point(self.run(row, line), at_round, cell["metric"], value, cell["unit"],
                     cell["status"], cell["reason"])

    def run(self, row, line):
        key = tuple(row[self.at[name]] for name in RUN_COLUMNS)
        if key not in self.runs:
            cells = dict(zip(RUN_COLUMNS, key))
            for name in NAMES:
                if not PLAIN_NAME.fullmatch(cells[name]):
                    self.fail(line, f"column {name} is '{cells[name]}', not a name")
            for name in NUMBERS:
                cells[name] = self.number(cells[name], name, line) if cells[name] else None
            cells["params"] = parse_params(cells["params"])
            cells["attack"] = "" if cells["attack"] == "none" else cells["attack"]
            self.runs[key] = Run(**cells)
        return self.runs[key]


def read_results(path):
    """All points of one results.csv, or BadResults."""
    results = Results(_Reader(Path(path)).read())
    refuse_mixed_data(results, path)
    return results


def find_results(directory):
    """DIR/results.csv and DIR/*/results.csv; a path to a CSV itself is taken too."""
    root = Path(directory)
    if root.is_file():
        return [root]
    found = [path for path in [root / "results.csv", *sorted(root.glob("*/results.csv"))]
             if path.is_file() and not path.parent.name.startswith("old-")]
    if not found:
        raise BadResults(f"{root}: no results.csv in it or one folder below; make one with: "
                         "maskbench run CONFIG --out DIR")
    return found


def allowed(value, wanted):
    return value in wanted if isinstance(wanted, (set, list, tuple, frozenset)) else value == wanted


def is_usable(point):
    return point.status == "ok" and abs(point.value) <= LARGEST  # not for NaN


class Results:
    """Points with an index by metric. `finals` and `curve` are the two ways to ask."""

    def __init__(self, points):
        self.all_points = list(points)
        self.by_metric = {}
        for point in self.all_points:
            if is_usable(point):
                self.by_metric.setdefault(point.metric, []).append(point)

    def __len__(self):
        return len(self.all_points)

    @property
    def runs(self):
        return list({id(point.run): point.run for point in self.all_points}.values())

    @property
    def configs(self):
        return sorted({point.run.config for point in self.all_points})

    def of_config(self, *names):
        return Results(p for p in self.all_points if p.run.config in names)

    def metrics(self):
        return list(self.by_metric)

    def finals(self, metric, **wanted):
        """Usable points of the whole run (no round)."""
        return [p for p in self.by_metric.get(metric, ()) if p.round is None
                and all(allowed(getattr(p.run, key), value) for key, value in wanted.items())]

    def curve(self, metric, **wanted):
        """Usable points that carry a round."""
        return [p for p in self.by_metric.get(metric, ()) if p.round is not None
                and all(allowed(getattr(p.run, key), value) for key, value in wanted.items())]

    def unusable(self):
        """Skipped and failed points, and ok ones that no mean can be taken of."""
        return [p for p in self.all_points if not is_usable(p)]


def refuse_mixed_data(results, where):
    """Runs on other data have the same settings but are no repeats of each other: no mean over them, no pairs."""
    found = {}
    for run in results.runs:
        if run.sha256:  # a failed run has none
            found.setdefault(run.data_settings, set()).add((run.source, run.sha256))
    for (config, dataset, *_), contents in found.items():
        if len(contents) > 1:
            named = " and ".join(f"{source} {sha256[:8]}" for source, sha256 in sorted(contents))
            raise BadResults(f"{where}: {config} has runs of {dataset} on different data ({named}); "
                             "give the results of one of them, or run the config again with --update")


def merged(parts):
    """Several results as one; a row that stands in two of them counts once."""
    seen, points = set(), []
    for part in parts:
        for p in part.all_points:
            key = (p.run.run, p.run.config, p.run.sha256, p.run.repeat_key, p.metric, p.round, p.status)
            if key not in seen:
                seen.add(key)
                points.append(p)
    results = Results(points)
    refuse_mixed_data(results, "these results together")
    return results
