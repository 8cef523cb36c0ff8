"""Points into lines: which runs belong together, what x is, mean and spread over repeats."""
from dataclasses import dataclass
from statistics import median

from . import looks, schema, stats, style
from .results import Run

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


# Columns of runs.csv that say nothing about what was run, and keys of a config whose columns have other names.
NO_FACETS = ("run", "config", "status", "reason", "params")
COLUMNS = tuple(name for name in Run._fields if name not in NO_FACETS)
COLUMN_OF = {"privacy.unit": "privacy_unit", "attack.name": "attack",
             **{f"seeds.{name}": f"seed_{name}" for name in ("partition", "split", "noise")}}
COLUMN_OF.update({key: key.split(".")[-1] for key in schema.DEFAULTS
                  if key not in (*COLUMN_OF, *schema.RUN_COLUMNS) and key.split(".")[-1] in COLUMNS})


def facet(run, key):
    """The run's value of a column or of a dotted key; None where the method has none."""
    if key in COLUMNS:
        value = getattr(run, key)
        return (None if key != "attack" else "none") if value == "" else value
    value = run.param(key, DEFAULTS.get(key))
    return value if number(value) is None else number(value)


def facet_keys(runs):
    return [*COLUMN_FACETS, *sorted({key for run in runs for key, _ in run.params})]


def panel_values(runs, key):
    """{id of a run: its value of the key}. None: its method has none. A text at its default is None to `facet` too; it is
    told apart by another run of the method that has one."""
    values = {id(run): facet(run, key) for run in runs}
    having = {run.method for run in runs if values[id(run)] is not None}
    default = None if key in COLUMNS else schema.DEFAULTS.get(key)
    return {id(run): default if values[id(run)] is None and run.method in having else values[id(run)] for run in runs}


def differing(runs):
    """All columns and keys in which any two runs differ."""
    return [key for key in (*COLUMNS, *sorted({key for run in runs for key, _ in run.params}))
            if len(set(panel_values(runs, key).values()) - {None}) > 1]


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


def first_numeric_axis(runs, prefer=None, ignore=None):
    """The first key over which some method was swept by numbers; `prefer` before all others."""
    swept = varying(runs, (ignore,))
    for key in (prefer, *X_CANDIDATES):
        if key in swept and all(number(facet(r, key)) is not None
                                        for r in runs if facet(r, key) is not None):
            return key
    return None


def variant_text(run, keys):
    parts = [f"{plain_name(key).split('.')[-1]}={short(facet(run, key))}"
             for key in keys if facet(run, key) is not None]
    return ", ".join(parts)


def moments(values):
    """(mean, one standard deviation below, above)"""
    centre, deviation = stats.mean(values), stats.deviation(values)
    return centre, centre - deviation, centre + deviation


def trusted(values):
    """(mean, Student's 95 % interval of it)"""
    return stats.mean(values), *(stats.interval(values) or (stats.mean(values),) * 2)


def middle(values):
    """(median, least, largest): for times, which have outliers upwards only."""
    return median(values), min(values), max(values)


@dataclass
class Line:
    method: str
    attack: str
    variant: str
    xs: list
    means: list  # or medians
    lows: list
    highs: list
    across: bool = False  # the method does not know x: its line goes right across

    @property
    def name(self):
        return self.method, self.attack, self.variant

    @property
    def flat(self):
        return len(self.xs) == 1

    @property
    def label(self):
        return f"{self.method} ({self.variant})" if self.variant else self.method


def lines(points, x, keys=(), summarise=moments):
    """One line for each method, attack and variant, x ascending. x: a facet or 'round', counted from 1."""
    groups, places = {}, {}
    for p in points:
        if id(p.run) not in places:
            line = groups.setdefault((p.run.method, p.run.attack, variant_text(p.run, keys)), {})
            places[id(p.run)] = (line, number(facet(p.run, x)) if x and x != "round" else None)
        line, at = places[id(p.run)]
        line.setdefault(p.round + 1 if x == "round" else at, []).append(p.value)
    made = []
    for (method, attack, variant), cells in groups.items():
        xs = sorted(at for at in cells if at is not None) or [None]
        made.append(Line(method, attack, variant, xs, *map(list, zip(*(summarise(cells[at]) for at in xs)))))
    swept = any(not line.flat for line in made)
    for line in made:  # over a key that a method does not use it has one value, the default
        line.across = line.xs == [None] or (line.flat and swept and "." in x)
    return sorted(made, key=lambda line: (style.method_order(line.method), style.attack_order(line.attack), line.variant))


def draw(ax, drawn, look=None, label=None, markers=True, whiskers=True):
    """Lines with whiskers, moved a little apart; a line of a method that does not know x goes right across.
    look: of a line; without it no two of those drawn here are alike."""
    own = {} if look else looks.told_apart(drawn)
    look = look or (lambda line: own[line.name])
    label = label or (lambda line: line.label)
    swept = [line for line in drawn if not line.across]
    apart = doubled([x for line in swept for x in line.xs]) and markers
    step = min(0.011, 0.2 / max(len(swept), 1))  # many lines together stay within the margin of sweep_axis
    for line in drawn:
        appearance = look(line)
        common = dict(color=appearance.colour, linestyle=appearance.line, linewidth=appearance.width,
                      zorder=2 + appearance.width / 10)
        if line.across:
            ax.axhline(line.means[0], label=label(line), **common)
            continue
        moved = 1 + step * (swept.index(line) - (len(swept) - 1) / 2) if apart else 1
        xs = [x * moved for x in line.xs]
        ax.plot(xs, line.means, label=label(line), marker=appearance.marker if markers else None,
                fillstyle=appearance.fill, **common)
        if whiskers:
            ax.vlines(xs, line.lows, line.highs, color=appearance.colour, linewidth=0.7, alpha=0.7)


def doubled(xs):
    """Whether a logarithmic axis suits: budgets are doubled from one to the next."""
    xs = sorted({x for x in xs if x is not None})
    return len(xs) > 1 and xs[0] > 0 and xs[-1] / xs[0] >= 4


def sweep_axis(ax, key, xs):
    """The axis of a sweep names each value that was run."""
    xs = sorted({x for x in xs if x is not None})
    ax.set_xlabel(axis_name(key))
    if doubled(xs):
        ax.set_xscale("log")
        ax.minorticks_off()
        ax.set_xlim(xs[0] / 1.13, xs[-1] * 1.13)
    if 1 <= len(xs) <= 8:
        ax.set_xticks(xs, [f"{x:g}" for x in xs])


def round_axis(ax):
    """Rounds are whole and begin at 1."""
    ax.set_xlabel("round")
    ax.set_xlim(left=1)
    ax.xaxis.set_major_locator(style.WholeFromOne())
