"""What a figure or table was made from, in words: data, rows, rounds, repeats, and what a budget covers."""
from . import series, style
from .schema import DEFAULTS

SOURCES = {"file": "real data", "synthetic": "synthetic data", "": "data of unknown source"}
SCOPES = {"message": "each message", "tree": "all trees together", "level": "all levels together",
          "training": "the whole training"}  # what has the budget


def sentence(text):
    """First letter large, the others as they are (AUC stays AUC); a method's name stays as it is."""
    return text if text.split(" ")[0] in style.METHODS else text[:1].upper() + text[1:]


def rounds_of(run):
    return int(run.param("train.rounds", DEFAULTS["train.rounds"]))


def rows_asked(run):
    """data.rows, or 0 for all of them."""
    return int(run.param("data.rows", DEFAULTS["data.rows"]))


def rows_text(count):
    return f"{count} rows" if count else "all rows"


def runs_of(points):
    return list({id(p.run): p.run for p in points}.values())


def spanned(numbers):
    """3, or 3 to 10."""
    numbers = sorted(set(numbers))
    return f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def repeat_counts(points):
    counts = {}
    for p in points:
        counts.setdefault((p.run.config, p.run.method, p.run.dataset), set()).add(p.run.repeat_key)
    return [len(keys) for keys in counts.values()]


def repeats_text(points, mark="whisker: one standard deviation"):
    counts = repeat_counts(points)
    if max(counts, default=1) == 1:
        return "one repeat, so no spread"
    return f"mean of {spanned(counts)} repeats" + (f", {mark}" if mark else "")


def whiskers(points):
    """(how values become mean and whisker, the same in words): an interval of two repeats would say nothing."""
    if min(repeat_counts(points)) >= 3:
        return series.trusted, ", whisker: its 95 % interval"
    return series.moments, ", whisker: one standard deviation" if max(repeat_counts(points)) > 1 else ""


def source_text(runs):
    by_source = {}
    for run in runs:
        by_source.setdefault(SOURCES.get(run.source, run.source), set()).add(run.dataset)
    if len(by_source) == 1:
        return sentence(*by_source)
    return sentence("; ".join(f"{name}: {', '.join(sorted(d))}" for name, d in sorted(by_source.items())))


def stamp(points):
    """The scale in small print: nobody should take a small run for a full one."""
    runs = runs_of(points)
    readings = sorted({run.reading_name for run in runs if run.reading}, key=lambda r: (r != "paper", r))
    rows, rounds = sorted({rows_asked(run) for run in runs}), [rounds_of(run) for run in runs]
    repeats = spanned(repeat_counts(points))
    parts = [source_text(runs), " and ".join(map(rows_text, rows)),
             f"{spanned(rounds)} round{'s' * (max(rounds) > 1)}",
             f"{repeats} repeat{'s' * (repeats != '1')}",
             f"reading {' and '.join(readings)}" if readings else "no reading of a budget"]
    return " · ".join(parts)


def machine_text(runs):
    named = sorted({f"{r.cpu} with {r.threads:g} thread{'s' * (r.threads != 1)}" for r in runs if r.cpu and r.threads})
    return ", ".join(named) or "an unnamed machine"


def has_budget(run):
    return run.eps_ap is not None or run.eps_pp is not None


def reading_text(runs):
    """What the budget of each method covers."""
    covered, unread = {}, set()
    for run in runs:
        if run.reading:
            told = (("for ", SCOPES.get(run.scope, run.scope), ""), ("unit ", run.privacy_unit, ""), ("", run.composition, " composition"),
                    ("mu ", run.mu, ""))
            text = ", ".join(before + value + after for before, value, after in told if value)
            covered.setdefault(run.reading_name, {}).setdefault(text, set()).add(run.method)
        elif has_budget(run):
            unread.add(run.method)
    parts = [f"Budgets under the reading '{reading}' ({'; '.join(f'{_names(m)}: {t}' for t, m in sorted(texts.items()))})"
             for reading, texts in sorted(covered.items())]
    if unread:
        parts.append(f"{_names(unread)}: for {SCOPES['training']} under every reading")
    if {"message", "tree"} <= {run.scope for run in runs if run.reading}:
        parts.append("Not an equal comparison: one budget is for a message, the other for all trees")
    return ". ".join(parts) or "No method here has a privacy budget"


def _names(methods):
    return ", ".join(sorted(methods, key=style.method_order))
