"""runs.csv and results.csv in memory: a Run is a line of the first, a Point one number of it."""
import csv
import gzip
import math
import operator
import re
from collections import namedtuple
from pathlib import Path

from . import terminal
from .schema import DEFAULTS, NUMBER_COLUMNS, RUN_COLUMNS

# Keys of a config whose columns have their names, in params; the other columns are attributes of a Run.
KEYS = [name for name in RUN_COLUMNS if name in DEFAULTS and name not in ("method", "mode", "backend", "seed")]
NUMBERS = ("eps_ap", "delta_ap", "eps_pp", "W", "seed", "seed_partition", "seed_split", "seed_noise",
           "repeat", "threads")
NAMES = ("run", "config", "dataset", "method", "attack")  # files and cells are named by them
RUN_STATUSES, STATUSES = ("ok", "error"), ("ok", "skip", "error")
PLAIN_NAME = re.compile(r"(\w[\w.-]*)?", re.ASCII)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
KILLED = "if the run was killed: maskbench run CONFIG --resume"
LARGEST = 1e100  # its square is still a number: what is larger is in no mean


class BadResults(Exception):
    """One line for the user: file, line, what is wrong."""

    def __init__(self, message):
        super().__init__(terminal.one_line(message))


class Run(namedtuple("Run", [name for name in RUN_COLUMNS if name not in KEYS] + ["params"])):
    """A line of runs.csv: NUMBERS as float or None, params as a sorted tuple of (key, text) of the keys that are not at
    their defaults, the others as text (delta_pp is a number or 1/n)."""
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
        """The text of a key that is not at its default."""
        return dict(self.params).get(key, default)


# What a number is about: party, kind of message, view, queries, the reading (scope to theorem3) and delta, as text; "" where
# its metric has none.
QUALIFIERS = ("party", "kind", "view", "queries", "scope", "privacy_unit", "composition", "mu", "theorem3", "delta")
About = namedtuple("About", QUALIFIERS, defaults=[""] * len(QUALIFIERS))


class Point(namedtuple("Point", "run round metric value unit status reason about", defaults=[About()])):
    """One number. The value is NaN when the status is not ok; round is None for the whole run."""
    __slots__ = ()
    party = property(lambda self: self.about.party)
    kind = property(lambda self: self.about.kind)
    view = property(lambda self: self.about.view)


def opened(path, mode="rt"):
    """A CSV, or one that is packed: NAME.csv.gz."""
    if Path(path).suffix == ".gz":
        return gzip.open(path, mode, newline="", encoding="utf-8")
    return open(path, mode, newline="", encoding="utf-8")


class _Table:
    """The rows of one CSV as dictionaries, each checked; complaints name the file and the line."""

    def __init__(self, path, columns, statuses):
        self.path, self.columns, self.statuses, self.line = path, columns, statuses, 1

    def fail(self, message):
        raise BadResults(f"{self.path}:{self.line}: {message}")

    def number(self, text, column):
        try:
            return float(text)
        except ValueError:
            self.fail(f"column {column} is '{text}', not a number")

    def rows(self):
        try:
            with opened(self.path) as file:
                yield from self.checked(csv.reader(file, strict=True))
        except FileNotFoundError:
            raise BadResults(f"{self.path}: no such file; make it with: maskbench run CONFIG --out DIR")
        except UnicodeDecodeError as error:
            raise BadResults(f"{self.path}: not UTF-8 at byte {error.start}")
        except OSError as error:
            raise BadResults(f"{self.path}: {error.strerror}")

    def checked(self, rows):
        try:
            header = next(rows, None)
            if not header:
                self.fail("is empty; run the config again")
            missing = [name for name in self.columns if name not in header]
            if missing:
                self.fail(f"no column {', '.join(missing)}: not a {self.path.name} of this version of maskbench")
            for row in rows:
                self.line = rows.line_num
                if row:
                    yield self.cells(header, row)
        except csv.Error as error:
            self.line = rows.line_num
            self.fail(f"{error}; {KILLED}")

    def cells(self, header, row):
        if len(row) != len(header):
            self.fail(f"{len(row)} cells, the header has {len(header)}; {KILLED}")
        if CONTROL.search("".join(row)):
            self.fail("a control character in it; run the config again")
        cell = dict(zip(header, row))
        if cell["status"] not in self.statuses:
            self.fail(f"status is '{cell['status']}', not one of {', '.join(self.statuses)}")
        return cell


def _run(table, cell):
    for name in NAMES:
        if not PLAIN_NAME.fullmatch(cell[name]):
            table.fail(f"column {name} is '{cell[name]}', not a name")
    changed = tuple(sorted((key, cell[key]) for key in KEYS if cell[key] and cell[key] != DEFAULTS[key]))
    fields = {name: cell[name] for name in Run._fields if name != "params"}
    for name in NUMBERS:
        fields[name] = table.number(cell[name], name) if cell[name] else None
    fields["attack"] = "" if cell["attack"] == "none" else cell["attack"]
    return Run(**fields, params=changed)


def read_runs(path):
    """{name of a run: its Runs, one for each config that has it} of the runs.csv beside a results.csv"""
    table, found = _Table(runs_beside(path), RUN_COLUMNS, RUN_STATUSES), {}
    for cell in table.rows():
        found.setdefault(cell["run"], []).append(_run(table, cell))
    return found


def _points(path, runs):
    table, seen = _Table(path, NUMBER_COLUMNS, STATUSES), {}
    about_of = operator.itemgetter(*QUALIFIERS)
    for cell in table.rows():
        if cell["run"] not in runs:
            table.fail(f"run '{cell['run']}' is not in {runs_beside(path).name}; {KILLED}")
        at_round = None
        if cell["round"]:
            if not re.fullmatch("[0-9]{1,9}", cell["round"]):
                table.fail(f"column round is '{cell['round']}', not a whole number")
            at_round = int(cell["round"])
        value = table.number(cell["value"], "value") if cell["status"] == "ok" else math.nan
        about = About(*about_of(cell))
        about = seen.setdefault(about, about)  # there are many numbers, and few are about something else
        same = [seen.setdefault(cell[name], cell[name]) for name in ("metric", "unit", "status", "reason")]
        for run in runs[cell["run"]]:
            yield Point(run, at_round, same[0], value, *same[1:], about)


def runs_beside(path):
    """runs.csv of the folder that has this results.csv, packed like it."""
    return path.with_name("runs.csv.gz" if path.suffix == ".gz" else "runs.csv")


def read_results(path):
    """All points of one results.csv and the runs.csv beside it, or BadResults. A failed run is a point without metric."""
    path = Path(path)
    if not path.is_file():
        raise BadResults(f"{path}: no such file; make it with: maskbench run CONFIG --out DIR")
    runs = read_runs(path)
    failed = [Point(run, None, "", math.nan, "", "error", run.reason)
              for same in runs.values() for run in same if run.status == "error"]
    refuse_mixed_data((run for same in runs.values() for run in same), path)
    return Results([*_points(path, runs), *failed])


def find_results(directory):
    """DIR/results.csv and DIR/*/results.csv; where there are none, DIR/results.csv.gz. A path to a CSV itself is taken too."""
    root = Path(directory)
    if root.is_file():
        return [root]
    found = [path for path in [root / "results.csv", *sorted(root.glob("*/results.csv"))]
             if path.is_file() and not path.parent.name.startswith("old-")]
    if not found and (root / "results.csv.gz").is_file():  # what a repository keeps
        return [root / "results.csv.gz"]
    if not found:
        raise BadResults(f"{root}: no results.csv in it or one folder below; make one with: "
                         "maskbench run CONFIG --out DIR")
    return found


def allowed(point, wanted):
    """wanted: {attribute of the point or of its run: a value or several}"""
    for key, value in wanted.items():
        mine = getattr(point.about if key in QUALIFIERS else point.run, key)
        if not (mine in value if isinstance(value, (set, list, tuple, frozenset)) else mine == value):
            return False
    return True


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
        """Usable points of the whole run (no round). A name that both have, such as scope, is the number's."""
        return [p for p in self.by_metric.get(metric, ()) if p.round is None and allowed(p, wanted)]

    def curve(self, metric, **wanted):
        """Usable points that carry a round."""
        return [p for p in self.by_metric.get(metric, ()) if p.round is not None and allowed(p, wanted)]

    def unusable(self):
        """Skipped and failed points, and ok ones that no mean can be taken of."""
        return [p for p in self.all_points if not is_usable(p)]


def refuse_mixed_data(runs, where):
    """Runs on other data have the same settings but are no repeats of each other: no mean over them, no pairs."""
    found = {}
    for run in runs:
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
            key = (p.run.run, p.run.config, p.run.sha256, p.run.repeat_key, p.metric, p.round, p.status, p.about)
            if key not in seen:
                seen.add(key)
                points.append(p)
    results = Results(points)
    refuse_mixed_data(results.runs, "these results together")
    return results
