"""What a verdict is, and how findings under several readings become one."""
from dataclasses import dataclass

from . import paper, series, stats
from .panels import reading_of

REPRODUCED = "reproduced"
READING = "only under a stated reading"
NOT = "not reproduced"
FALSE = "false"
NO_DATA = "no data"
EVEN_HANDED = ("equal", "sound")  # readings that give all methods the same budget


@dataclass(frozen=True)
class Finding:
    verdict: str
    why: str


@dataclass(frozen=True)
class Claim:
    id: str
    text: str
    judge: object  # Results -> Finding
    command: str


def no_data(what):
    return Finding(NO_DATA, what)


def held(holds, why):
    return Finding(REPRODUCED if holds else NOT, why)


def run_command(config, extra=""):
    return f"maskbench run configs/{config}.yaml{extra} && scripts/figures.py {config}"


def plain(points):
    """One variant of each method (the one with the fewest changed keys), so that means do not mix."""
    variants = {}
    for p in points:
        variants.setdefault(p.run.method, set()).add((len(p.run.params), p.run.params, p.run.W or 0))
    first = {method: min(keys) for method, keys in variants.items()}
    return [p for p in points if (len(p.run.params), p.run.params, p.run.W or 0) == first[p.run.method]]


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
    repeats = {p.run.repeat_key for p in points}
    return (f"{', '.join(sorted(datasets))} ({known} of {len(paper.DATASETS)} datasets; "
            f"{series.source_text([p.run for p in points]).lower()}; {len(repeats)} repeats)")


def readings(points):
    """{reading: points with it or without any}"""
    names = sorted({reading_of(p.run) for p in points if p.run.reading}, key=lambda r: (r != "paper", r))
    return {name: [p for p in points if not p.run.reading or reading_of(p.run) == name] for name in names}


def with_reading(points):
    return [p for p in points if p.run.reading]


def over_readings(points, judge):
    """judge(points) -> (holds or None, text), for each reading; then one finding."""
    parts = readings(points)
    outcomes = {name: judge(part) for name, part in parts.items()}
    known = {name: outcome for name, outcome in outcomes.items() if outcome[0] is not None}
    why = ". ".join(f"Reading '{name}' on {scope_text(with_reading(parts[name]))}: {text}"
                    for name, (_, text) in outcomes.items())
    if not known:
        return no_data(why or "no run with a privacy reading")
    holding = [name for name, (holds, _) in known.items() if holds]
    if not holding:
        return Finding(NOT, why)
    if len(holding) == len(known) and set(holding) & set(EVEN_HANDED):
        return Finding(REPRODUCED, why)
    if len(holding) == len(known):
        why += f". Only the reading '{holding[0]}' was run"
    return Finding(READING, why)
