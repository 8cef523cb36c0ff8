"""What a verdict is, and how findings under several readings become one."""
from dataclasses import dataclass

from . import paper, series, stats

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
    note: str = ""  # what the verdict does not cover; shown beside it


@dataclass(frozen=True)
class Claim:
    id: str
    text: str
    judge: object  # Results -> Finding
    command: str


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
    repeats = {p.run.repeat_key for p in points}
    return (f"{', '.join(sorted(datasets))} ({known} of {len(paper.DATASETS)} datasets; "
            f"{series.source_text([p.run for p in points]).lower()}; {len(repeats)} repeats)")


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
    note = max((coverage(with_reading(parts[name]), of_six) for name in known), key=len)
    if not holding:
        return Finding(NOT, why, note)
    if len(holding) == len(known) and set(holding) & set(EVEN_HANDED):
        return Finding(REPRODUCED, why, note)
    if len(holding) == len(known):
        why += f". Only the reading '{holding[0]}' was run"
    return Finding(READING, why, note)
