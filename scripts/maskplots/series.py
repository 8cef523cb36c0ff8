"""Points into lines: which runs belong together, what x is, mean and deviation over repeats."""
from dataclasses import dataclass

from . import schema, stats, style

COLUMN_FACETS = ("reading", "eps_ap", "delta_ap", "eps_pp", "delta_pp", "W", "mode", "backend",
                 "source", "threads")
AXIS_NAMES = {"eps_ap": r"$\varepsilon_{AP}$", "eps_pp": r"$\varepsilon_{PP}$",
              "delta_ap": r"$\delta_{AP}$", "delta_pp": r"$\delta_{PP}$", "round": "round",
              "privacy.ratio": r"$\sigma_1^2/\sigma_2^2$"}
PLAIN_NAMES = {"eps_ap": "eps_AP", "eps_pp": "eps_PP", "delta_ap": "delta_AP", "delta_pp": "delta_PP"}
METRIC_NAMES = {"test_auc": "test AUC", "train_auc": "train AUC", "seconds_per_tree": "seconds a tree",
                "attack_accuracy": "attack accuracy", "attack_auc": "attack AUC",
                "attack_balanced_accuracy": "balanced accuracy", "bit_match": "bit match",
                "balanced_bit_match": "balanced bit match"}


def axis_name(key):
    return AXIS_NAMES.get(key, key.split(".")[-1].replace("_", " "))


def plain_name(key):
    return PLAIN_NAMES.get(key, key)


def metric_name(metric):
    return METRIC_NAMES.get(metric, metric.replace("_", " "))


def sentence(text):
    """First letter large, the others as they are (AUC stays AUC)."""
    return text[:1].upper() + text[1:]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


# The keys that are numbers. A run's `params` name a key only where its value is not the default.
DEFAULTS = {key: number(text) for key, text in schema.DEFAULTS.items() if number(text) is not None}
X_CANDIDATES = ("eps_ap", "eps_pp", "delta_ap", "delta_pp", "W", "threads", *DEFAULTS)


def facet(run, key):
    """The run's value of a column or of a dotted key; None where the method has none."""
    if key in COLUMN_FACETS:
        value = getattr(run, key)
        return None if value == "" else value
    value = run.param(key, DEFAULTS.get(key))
    return value if number(value) is None else number(value)


def facet_keys(runs):
    return [*COLUMN_FACETS, *sorted({key for run in runs for key, _ in run.params})]


def varying(runs, ignore=()):
    """Facets that differ between the runs of one method (and dataset and attack): what makes lines
    of one method several."""
    groups, keys = {}, []
    runs = list({id(run): run for run in runs}.values())
    for run in runs:
        groups.setdefault((run.method, run.dataset, run.attack), []).append(run)
    for key in facet_keys(runs):
        if key not in ignore and any(len({facet(r, key) for r in group}) > 1
                                     for group in groups.values()):
            keys.append(key)
    return keys


def first_numeric_axis(runs):
    """The first key over which some method was swept by numbers."""
    swept = varying(runs)
    for key in X_CANDIDATES:
        if key in swept and all(number(facet(r, key)) is not None
                                        for r in runs if facet(r, key) is not None):
            return key
    return None


def variant_text(run, keys):
    parts = [f"{plain_name(key).split('.')[-1]}={short(facet(run, key))}"
             for key in keys if facet(run, key) is not None]
    return ", ".join(parts)


@dataclass
class Line:
    method: str
    attack: str
    variant: str
    xs: list
    means: list
    deviations: list
    counts: list

    @property
    def flat(self):
        return len(self.xs) == 1

    @property
    def label(self):
        return f"{self.method} ({self.variant})" if self.variant else self.method


def lines(points, x, keys=()):
    """One line for each method, attack and variant, x ascending. x: a facet or 'round'."""
    groups, places = {}, {}
    for p in points:
        if id(p.run) not in places:
            line = groups.setdefault((p.run.method, p.run.attack, variant_text(p.run, keys)), {})
            places[id(p.run)] = (line, number(facet(p.run, x)) if x and x != "round" else None)
        line, at = places[id(p.run)]
        line.setdefault(p.round if x == "round" else at, []).append(p.value)
    made = []
    for (method, attack, variant), cells in groups.items():
        xs = sorted(at for at in cells if at is not None) or [None]
        made.append(Line(method, attack, variant, xs, [stats.mean(cells[at]) for at in xs],
                         [stats.deviation(cells[at]) for at in xs], [len(cells[at]) for at in xs]))
    return sorted(made, key=lambda line: (style.method_order(line.method), line.attack, line.variant))


def draw(ax, drawn, look=None, label=None, markers=True):
    """Lines with a band of one deviation; a line of a single x without sweep goes right across."""
    look = look or (lambda line: style.method_look(line.method))
    label = label or (lambda line: line.label)
    seen = {}
    for line in drawn:
        appearance = look(line)
        fill = style.FILLS[seen.get(line.method + line.attack, 0) % len(style.FILLS)]
        seen[line.method + line.attack] = seen.get(line.method + line.attack, 0) + 1
        common = dict(color=appearance.colour, linestyle=appearance.line,
                      linewidth=1.5 if fill == "full" else 0.9)
        if line.xs == [None] or (line.flat and any(not other.flat for other in drawn)):
            ax.axhline(line.means[0], label=label(line), **common)
            ax.axhspan(line.means[0] - line.deviations[0], line.means[0] + line.deviations[0],
                       color=appearance.colour, alpha=0.10, linewidth=0)
            continue
        ax.plot(line.xs, line.means, label=label(line), marker=appearance.marker if markers else None,
                fillstyle=fill, **common)
        low = [m - d for m, d in zip(line.means, line.deviations)]
        high = [m + d for m, d in zip(line.means, line.deviations)]
        ax.fill_between(line.xs, low, high, color=appearance.colour, alpha=0.15, linewidth=0)


def sweep_axis(ax, key, xs):
    """Budgets are doubled from one to the next, so their axis is logarithmic and names each."""
    xs = sorted({x for x in xs if x is not None})
    ax.set_xlabel(axis_name(key))
    if len(xs) > 1 and xs[0] > 0 and xs[-1] / xs[0] >= 4:
        ax.set_xscale("log")
        ax.minorticks_off()
    if 1 <= len(xs) <= 8:
        ax.set_xticks(xs, [f"{x:g}" for x in xs])


def repeats_text(points):
    counts = {}
    for p in points:
        counts.setdefault((p.run.method, p.run.dataset), set()).add(p.run.repeat_key)
    sizes = sorted({len(keys) for keys in counts.values()})
    if sizes in ([], [1]):
        return "one repeat, so no band"
    span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f"mean of {span} repeats, band: one standard deviation"


def source_text(runs):
    names = {"file": "real data", "synthetic": "synthetic data", "": "data of unknown source"}
    by_source = {}
    for run in runs:
        by_source.setdefault(names.get(run.source, run.source), set()).add(run.dataset)
    if len(by_source) == 1:
        return sentence(*by_source)
    return sentence("; ".join(f"{name}: {', '.join(sorted(d))}" for name, d in sorted(by_source.items())))


def reading_text(runs):
    """Which reading of the budget each method was run under."""
    by_reading = {}
    for run in runs:
        if run.reading:
            text = (f"scope {run.scope}, unit {run.privacy_unit}, {run.composition} composition, mu {run.mu}")
            by_reading.setdefault(run.reading_name, {}).setdefault(text, set()).add(run.method)
    if not by_reading:
        return "No privacy budget"
    parts = []
    for reading, texts in sorted(by_reading.items()):
        inner = "; ".join(f"{', '.join(sorted(methods, key=style.method_order))}: {text}"
                          for text, methods in sorted(texts.items()))
        parts.append(f"'{reading}' ({inner})")
    warning = (". Not an equal comparison: the budgets cover different scopes"
               if len({run.scope for run in runs if run.reading}) > 1 else "")
    return "Privacy reading " + " and ".join(parts) + warning
