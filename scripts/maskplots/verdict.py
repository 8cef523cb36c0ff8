"""What a verdict is, and how findings under several readings become one."""
import re
from dataclasses import dataclass

from . import captions, paper, stats
from .captions import rounds_of, rows_asked
from .results import Results

REPRODUCED = "reproduced"
READING = "only under a stated reading"
NOT = "not reproduced"
FALSE = "false"
NO_DATA = "no data"
NOT_JUDGED = "not judged"
SHORT = 60  # letters; a longer note is left to the details
EVEN_HANDED = ("equal", "sound")  # readings that give all methods the same budget


@dataclass(frozen=True)
class Finding:
    verdict: str
    why: str
    note: str = ""  # what the verdict does not cover; shown beside it
    short: str = ""  # the verdict in one sentence; the first of `why` if there is none

    @property
    def brief(self):
        first = self.short or re.split(r"(?<=[^\d.])\. (?=[A-Z])", self.why)[0]
        return captions.sentence(f"{first} ({self.note})" if 0 < len(self.note) <= SHORT else first)


@dataclass(frozen=True)
class Scale:
    """The smallest runs that a claim speaks of. Rows below it are described, not judged."""
    rounds: int = 1
    whole: bool = False  # all rows of the data
    repeats: int = 1

    def holds(self, run):
        return rounds_of(run) >= self.rounds and not (self.whole and rows_asked(run))

    def text(self):
        parts = [f"{self.rounds} rounds"] if self.rounds > 1 else []
        parts += ["all rows of the data"] if self.whole else []
        return ", ".join(parts + ([f"at least {self.repeats} repeats"] if self.repeats > 1 else []))


TRAINED_AT = Scale(rounds=60, whole=True, repeats=5)  # as the paper trains; it has 10 repeats


@dataclass(frozen=True)
class Claim:
    id: str
    text: str
    function: object  # Results -> Finding, whatever the scale
    command: str
    configs: tuple = ()  # whose rows it is judged from; none: any
    scale: Scale = Scale()

    def judge(self, results):
        known = results.of_config(*self.configs) if self.configs else results
        if self.configs and not len(known):
            return no_data(f"needs rows of {' or '.join(self.configs)}; these results have "
                           f"{', '.join(results.configs) or 'none'}")
        runs = [run for run in known.runs if self.scale.holds(run)]
        if len({run.repeat_key for run in runs}) >= self.scale.repeats:
            chosen = {id(run) for run in runs}
            finding = self.function(Results([p for p in known.all_points if id(p.run) in chosen]))
            if finding.verdict != NO_DATA:
                return finding
        below = self.function(known)
        if below.verdict == NO_DATA or len(runs) == len(known.runs) and self.scale.repeats == 1:
            return below
        short = f"the claim speaks of {self.scale.text()}; the rows are below that scale, and would say '{below.verdict}'"
        return Finding(NOT_JUDGED, f"the claim speaks of {self.scale.text()}. Below that scale the rows say "
                                   f"'{below.verdict}': {below.why}", below.note, short)


def no_data(what):
    return Finding(NO_DATA, what)


def held(holds, why, note=""):
    return Finding(REPRODUCED if holds else NOT, why, note)


def coverage(points, of_six=False):
    """What a verdict from these points leaves open: datasets that were not run, synthetic data."""
    known = len({p.run.dataset for p in points} & set(paper.DATASETS))
    sources = {p.run.source for p in points}
    parts = [f"on {known} of {len(paper.DATASETS)} datasets"] if of_six and known < len(paper.DATASETS) else []
    if "synthetic" in sources:
        parts.append("on synthetic data" if len(sources) == 1 else "partly on synthetic data")
    return ", ".join(parts)


def run_command(config, extra=""):
    return f"maskbench run configs/{config}.yaml{extra} && scripts/figures.py {config}"


def plain(points, free=("eps_ap",)):
    """One variant of each method (the fewest changed keys, then the smallest budgets), so that means
    do not mix; budgets in `free` stay as they are."""
    fixed = [name for name in ("W", "eps_ap", "delta_ap", "eps_pp") if name not in free]

    def variant(run):
        return (len(run.params), run.params, tuple(getattr(run, name) or 0 for name in fixed))

    first = {}
    for p in points:
        key = (p.run.method, p.run.reading_name)
        first[key] = min(first.get(key, variant(p.run)), variant(p.run))
    return [p for p in points if variant(p.run) == first[p.run.method, p.run.reading_name]]


def cells(points, *fields):
    """{values of the fields: {repeat key: value}}"""
    found = {}
    for p in points:
        key = tuple(getattr(p.run, field) for field in fields)
        found.setdefault(key, {})[p.run.repeat_key] = p.value
    return found


def average(cell):
    return stats.mean(list(cell.values()))


def spread(cell):
    return stats.deviation(list(cell.values()))


def shared_differences(a, b):
    return [a[key] - b[key] for key in sorted(a.keys() & b.keys(), key=repr)]


def scope_text(points):
    datasets = {p.run.dataset for p in points}
    known = len(datasets & set(paper.DATASETS))
    runs = list({id(p.run): p.run for p in points}.values())
    repeats = {run.repeat_key for run in runs}
    rows = sorted({rows_asked(run) for run in runs})
    rounds = sorted({rounds_of(run) for run in runs})
    return (f"{', '.join(sorted(datasets))} ({', '.join(sorted({run.config for run in runs}))}; "
            f"{known} of {len(paper.DATASETS)} datasets; {captions.source_text(runs).lower()}; "
            f"{' and '.join(map(captions.rows_text, rows))}; "
            f"{' and '.join(map(str, rounds))} rounds; {len(repeats)} repeats)")


def readings(points):
    """{reading: points with it or without any}"""
    names = sorted({p.run.reading_name for p in points if p.run.reading}, key=lambda r: (r != "paper", r))
    return {name: [p for p in points if not p.run.reading or p.run.reading_name == name] for name in names}


def with_reading(points):
    return [p for p in points if p.run.reading]


def over_readings(points, judge, of_six=False):
    """judge(points) -> (holds or None, text), for each reading; then one finding."""
    parts = readings(points)
    outcomes = {name: judge(part) for name, part in parts.items()}
    known = {name: outcome for name, outcome in outcomes.items() if outcome[0] is not None}
    why = ". ".join(f"Reading '{name}' on {scope_text(with_reading(parts[name]))}: {text}"
                    for name, (_, text) in outcomes.items())
    if not known:
        return no_data(why or "no run with a privacy reading")
    holding = [name for name, (holds, _) in known.items() if holds]
    failing = [name for name in known if name not in holding]
    note = max((coverage(with_reading(parts[name]), of_six) for name in known), key=len)
    short = "; ".join(filter(None, (_held_under("holds", holding), _held_under("does not hold", failing))))
    if not holding:
        return Finding(NOT, why, note, short)
    if not failing and set(holding) & set(EVEN_HANDED):
        return Finding(REPRODUCED, why, note, short)
    if not failing:
        why += f". Only the reading '{holding[0]}' was run"
        short += ", the only reading that was run" if len(holding) == 1 else ""
    return Finding(READING, why, note, short)


def _held_under(what, names):
    return f"{what} under the reading{'s' * (len(names) > 1)} {', '.join(names)}" if names else ""
