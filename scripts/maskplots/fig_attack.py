"""fig-label-attack and fig-attribute-attack: how often an attack is right, over both budgets.
tab-attacks: every attack against every method."""
from . import paper, series, stats, style
from .panels import dataset_order

USUAL = {"eps_ap": 1.0, "delta_ap": 0.001, "eps_pp": 1.0}  # the paper's
LABEL = dict(metrics=("attack_accuracy", "attack_balanced_accuracy", "attack_auc"),
             floors={"attack_accuracy": "attack_floor_accuracy"}, axes=("eps_ap", "delta_ap"),
             printed={"attack_accuracy": [(paper.LABEL_ATTACK_STRICT, "the paper's .51")]},
             title="Label attacks by PP")
ATTRIBUTE = dict(metrics=("bit_match", "balanced_bit_match"), floors={"bit_match": "bit_match_floor"},
                 axes=("eps_pp", "eps_ap"),
                 printed={"bit_match": [(paper.BIT_MATCH_STRICT, "the paper's .52"),
                                        (paper.BIT_MATCH_MOST, "the paper's upper limit .6")]},
                 title="Attribute attacks by AP")
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
    cells = {}
    for p in points:
        row = (list(style.ATTACKS).index(p.run.attack), p.run.attack, p.run.dataset,
               series.facet(p.run, "attack.trees") or 1)
        cells.setdefault(row, {}).setdefault(p.run.method, []).append(p.value)
    made = [[attack, dataset, f"{trees:g}", *(f"{stats.mean(cell[m]):.3f}" if m in cell else "–" for m in methods)]
            for (_, attack, dataset, trees), cell in sorted(cells.items())]
    sink.table(config, "Every attack against every method",
               "Labels: AUC; attributes: balanced bit match; a blind guess has .5. – : the method gives the "
               "attack nothing to read.", ["attack", "dataset", "trees seen", *methods], made)
    skips = {}
    for p in results.all_points:
        if p.metric == "attack" and p.status == "skip":
            skips.setdefault((p.run.attack, p.reason.removeprefix(p.run.method).strip()), set()).add(p.run.method)
    if skips:
        sink.table(config + "-skips", "Attacks that do not apply", "The reason begins with the method's name.",
                   ["attack", "methods", "reason"],
                   [[attack, ", ".join(sorted(names, key=style.method_order)), reason]
                    for (attack, reason), names in sorted(skips.items())])


def _build(config, results, sink, kind):
    points = [p for m in kind["metrics"] for p in results.finals(m) if p.run.attack]
    if not points:
        return sink.skip(config, f"no {' or '.join(kind['metrics'])} of an attack")
    datasets = dataset_order({p.run.dataset for p in points})
    for dataset in datasets:
        for method in sorted({p.run.method for p in points if p.run.dataset == dataset},
                             key=style.method_order):
            here = [p for p in points if (p.run.dataset, p.run.method) == (dataset, method)]
            suffix = "" if len(datasets) == 1 else f"-{dataset}"
            suffix += "" if method == "masked" else f"-on-{method}"
            _figure(config + suffix, dataset, method, here, results, sink, kind)
    _table(config, points + [p for floor in kind["floors"].values() for p in results.finals(floor)], sink)


def _slice(points, x, others):
    """The sweep over x: where another budget varies too, at its value with the most x's, or the usual."""
    for key in others:
        by_value = {}
        for p in points:
            by_value.setdefault(series.facet(p.run, key), set()).add(series.facet(p.run, x))
        if len(by_value) > 1:
            best = max(by_value, key=lambda v: (len(by_value[v]), v == USUAL.get(key), -(series.number(v) or 0)))
            points = [p for p in points if series.facet(p.run, key) == best]
    return points


def _panels(name, points, sink, kind):
    metrics = [m for m in kind["metrics"] if any(p.metric == m for p in points)]
    panels = []
    for metric in metrics:
        for x in kind["axes"]:
            others = [key for key in ("eps_ap", "delta_ap", "eps_pp", "delta_pp") if key != x]
            here = _slice([p for p in points if p.metric == metric], x, others)
            if len({series.facet(p.run, x) for p in here}) > 1:
                panels.append((metric, x, here))
            else:
                sink.skip(f"{name}: {metric} over {x}", f"{series.plain_name(x)} has one value only")
    return panels


def _figure(name, dataset, method, points, results, sink, kind):
    panels = _panels(name, points, sink, kind)
    if not panels:
        return sink.skip(name, "nothing was swept; the numbers are in the table")
    columns = max(sum(1 for p in panels if p[0] == panels[0][0]), 1)
    figure, axes = style.grid(len(panels), columns, width=3.6, sharey="row")
    for ax, (metric, x, here) in zip(axes, panels):
        keys = series.varying([p.run for p in here], (x, "source", "threads"))
        series.draw(ax, series.lines(here, x, keys), look=lambda line: style.attack_look(line.attack),
                    label=lambda line: f"{line.attack} ({line.variant})" if line.variant else line.attack)
        _references(ax, metric, here, results, kind)
        series.sweep_axis(ax, x, [series.number(series.facet(p.run, x)) for p in here])
        ax.set_ylabel(series.metric_name(metric))
        ax.set_title(_fixed_text(here, x))
    runs = [p.run for p in points]
    title = f"{kind['title']} on {method}, {dataset}"
    caption = (f"{series.sentence(series.repeats_text(points))}. {series.source_text(runs)}. "
               f"{series.reading_text(runs)}. Dashed: a guess without any message.")
    style.finish(figure, title, caption)
    best = {}
    for p in points:
        if p.metric == panels[0][0]:
            best.setdefault(p.run.attack, []).append(p.value)
    alt = "; ".join(f"{a} from {min(v):.3f} to {max(v):.3f}" for a, v in sorted(best.items()))
    sink.figure(figure, name, title, caption, f"{title}: {series.metric_name(panels[0][0])}: {alt}.")


def _fixed_text(points, x):
    parts = [f"{series.axis_name(key)} = {series.short(series.facet(points[0].run, key))}"
             for key in ("eps_ap", "eps_pp", "delta_ap")
             if key != x and series.facet(points[0].run, key) is not None]
    return ", ".join(parts)


def _references(ax, metric, points, results, kind):
    run = points[0].run
    floor = results.finals(kind["floors"].get(metric, ""), dataset=run.dataset, method=run.method)
    if floor:
        ax.axhline(stats.mean([p.value for p in floor]), color="#000000", linestyle="--", linewidth=1,
                   label="guess without messages")
    for i, (value, text) in enumerate(kind["printed"].get(metric, ())):
        ax.axhline(value, color=style.PAPER, linestyle=(":", "-.")[i % 2], linewidth=1.2, label=text)


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
                *map(series.metric_name, metrics)], made)
