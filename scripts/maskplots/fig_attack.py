"""fig-label-attack and fig-attribute-attack: how often an attack is right, over both budgets.
tab-attacks: every attack against every method."""
from dataclasses import replace

from . import captions, looks, paper, series, stats, style
from .panels import dataset_order

LABEL = dict(metrics=("attack_accuracy", "attack_auc"), tabled=("attack_balanced_accuracy",),
             floors={"attack_accuracy": "attack_floor_accuracy"}, axes=("eps_ap", "delta_ap"),
             printed={"attack_accuracy": [(paper.LABEL_ATTACK_STRICT, "the paper's .51")]},
             title="Label attacks by PP")
ATTRIBUTE = dict(metrics=("bit_match", "balanced_bit_match"), tabled=(), floors={"bit_match": "bit_match_floor"},
                 axes=("eps_pp", "eps_ap"),
                 printed={"bit_match": [(paper.BIT_MATCH_STRICT, "the paper's .52"),
                                        (paper.BIT_MATCH_MOST, "the paper's upper limit .6")]},
                 title="Attribute attacks by AP")
ACROSS = {0: 3, 1: 3, 2: 4}  # panels in a row, by how many values the second budget has
ALL = ("attack_auc", "balanced_bit_match")  # both 1/2 for a blind guess


def build_label(config, results, sink):
    _build(config, results, sink, LABEL)


def build_attribute(config, results, sink):
    _build(config, results, sink, ATTRIBUTE)


def build_all(config, results, sink):
    points = [p for metric in ALL for p in results.finals(metric) if p.run.attack]
    if not points:
        return sink.skip(config, f"no {' or '.join(ALL)} of an attack")
    methods = sorted({r.method for r in results.runs}, key=style.method_order)
    several = len({p.run.dataset for p in points}) > 1
    cells = {}
    for p in points:
        row = (style.attack_order(p.run.attack), p.run.attack + (f", {p.run.dataset}" if several else ""),
               series.facet(p.run, "attack.trees") or 1)
        cells.setdefault(row, {}).setdefault(p.run.method, []).append(p.value)
    made = [[attack, f"{trees:g}", *(f"{stats.mean(cell[m]):.3f}" if m in cell else "–" for m in methods)]
            for (_, attack, trees), cell in sorted(cells.items())]
    sink.table(config, "Every attack against every method",
               "Labels: AUC; attributes: balanced bit match; a blind guess has .5. – : the method gives the "
               "attack nothing to read.", ["attack", "trees seen", *methods], made, points)
    skips, skipped = {}, [p for p in results.all_points if p.metric == "attack" and p.status == "skip"]
    for p in skipped:
        skips.setdefault((p.run.attack, p.reason.removeprefix(p.run.method).strip()), set()).add(p.run.method)
    if skips:
        sink.table(config + "-skips", "Attacks that do not apply", "The reason begins with the method's name.",
                   ["attack", "methods", "reason"],
                   [[attack, ", ".join(sorted(names, key=style.method_order)), reason]
                    for (attack, reason), names in sorted(skips.items())], skipped)


def _build(config, results, sink, kind):
    """A figure for each metric: a panel for each dataset and value of the second budget."""
    shown = {m: [p for p in results.finals(m) if p.run.attack] for m in kind["metrics"]}
    if not any(shown.values()):
        return sink.skip(config, f"no {' or '.join(kind['metrics'])} of an attack")
    for at, (metric, points) in enumerate(shown.items()):
        if points:
            _figure(config if at == 0 else f"{config}-{metric.replace('_', '-')}", metric, points, results, sink, kind)
    more = [p for m in (*kind["tabled"], *kind["floors"].values()) for p in results.finals(m)]
    _table(config, [p for points in shown.values() for p in points] + more, sink)


def _values(points, key):
    return sorted({series.number(series.facet(p.run, key)) for p in points} - {None})


def _panels(points, other):
    """[(dataset, value of the second budget or None, points)]"""
    values = _values(points, other) or [None]
    return [(dataset, value, [p for p in points if p.run.dataset == dataset and series.facet(p.run, other) in (None, value)])
            for dataset in dataset_order({p.run.dataset for p in points}) for value in values]


def _figure(name, metric, points, results, sink, kind):
    x, other = sorted(kind["axes"], key=lambda key: len(_values(points, key)) < 2)
    if len(_values(points, x)) < 2:
        return sink.skip(name, f"{series.plain_name(x)} and {series.plain_name(other)} have one value only; "
                               "the numbers are in the table")
    panels = _panels(points, other)
    across = ACROSS.get(len(_values(points, other)), len(_values(points, other)))
    figure, axes = style.grid(len(panels), across, 9 / across, 1.9, sharey=True)
    drawn = [series.lines(here, x, series.varying([p.run for p in here], (x, other, "source", "threads")))
             for _, _, here in panels]
    own = looks.told_apart([line for lines in drawn for line in lines], by_attack=True)
    for at, (ax, (dataset, value, _), lines) in enumerate(zip(axes, panels, drawn)):
        series.draw(ax, lines, look=lambda line: _look(line, own[line.name]), label=_label)
        series.sweep_axis(ax, x, _values(points, x))
        _references(ax, metric, results.finals(kind["floors"].get(metric, ""), dataset=dataset), kind)
        ax.set_title(dataset if value is None else f"{dataset}, {series.axis_name(other)} = {value:g}")
        ax.set_ylabel(series.metric_name(metric) if at % across == 0 else "")
        ax.set_xlabel(ax.get_xlabel() if at + across >= len(axes) else "")
    axes[0].set_yticks([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    axes[0].set_ylim(min([0.44, *(p.value - 0.02 for p in points)]), 1.02)
    methods = sorted({p.run.method for p in points}, key=style.method_order)
    title = f"{kind['title']} on {' and '.join(methods)}: {series.metric_name(metric)}"
    thick = "Thick: the paper's own attack. " if any(p.run.attack in paper.ATTACKS for p in points) else ""
    caption = (f"{captions.sentence(captions.repeats_text(points))}. {thick}"
               f"{captions.reading_text(captions.runs_of(points))}.")
    sink.figure(figure, name, title, caption, f"{title}: {_ranges(points)}.", points)


def _look(line, look):
    return replace(look, width=2 * look.width) if line.attack in paper.ATTACKS else look


def _label(line):
    told = line.attack + (f" ({line.variant})" if line.variant else "")
    told += f" on {line.method}" if line.method != "masked" else ""
    return told + (", the paper's attack" if line.attack in paper.ATTACKS else "")


def _ranges(points):
    found = {}
    for p in points:
        found.setdefault(p.run.attack, []).append(p.value)
    return "; ".join(f"{attack} from {min(v):.3f} to {max(v):.3f}" for attack, v in sorted(found.items()))


def _references(ax, metric, floor, kind):
    ax.axhline(0.5, color="#888888", linestyle=":", linewidth=1.1, label="a coin: .5")
    if floor:
        ax.axhline(stats.mean([p.value for p in floor]), color="#000000", linestyle="--", linewidth=1,
                   label="guess without messages")
    for i, (value, text) in enumerate(kind["printed"].get(metric, ())):
        ax.axhline(value, color=style.PAPER, linestyle=((0, (1, 1)), "-.")[i % 2], linewidth=1.1, label=text)


def _table(config, points, sink):
    """Every cell's numbers: attack, method, budget against all metrics."""
    metrics = list(dict.fromkeys(p.metric for p in points))
    keys = series.varying([p.run for p in points], ("source", "threads"))
    rows = {}
    for p in points:
        row = (p.run.dataset, p.run.method, p.run.attack, *(series.short(series.facet(p.run, k))
               if series.facet(p.run, k) is not None else "" for k in keys))
        rows.setdefault(row, {}).setdefault(p.metric, []).append(p.value)
    made = [[*row, *(f"{stats.mean(v[m]):.3f}" if m in v else "–" for m in metrics)]
            for row, v in rows.items()]
    sink.table(config + "-table", "Attack results, all cells", "Means over repeats.",
               ["dataset", "method", "attack", *map(series.plain_name, keys),
                *map(series.metric_name, metrics)], made, points)
