"""Any config: a metric over the first swept number, or a dot for each method without a sweep; what an attack found if
attacks were run. `asked` draws what the user names."""
from . import captions, looks, series, stats, style
from .panels import by_reading, dataset_order, worst_and_best
from .results import QUALIFIERS, BadResults
from .tables import auc_cell

# What an attack is judged by, and the budget of the party that it attacks. A blind guess has 1/2 of each.
ATTACKED = {"attack_balanced_accuracy": ("labels", "eps_ap"), "balanced_bit_match": ("bits", "eps_pp")}
PREFERRED = ("test_auc", "test_rmse", "test_accuracy", "attack_auc", "attack_accuracy", "bit_match", "seconds_per_tree",
             "wire_bytes")
IGNORED = ("source", "threads")
MOVED = 0.005  # a line that stays within this does not depend on x


def build(config, results, sink):
    """The trainings by the preferred metric, the attacks by theirs."""
    attacks = {m: [p for p in results.finals(m) if p.run.attack] for m in ATTACKED}
    trained = _trained(results, any(attacks.values()))
    if not trained and not any(attacks.values()):
        return sink.skip(config, "no finished run with a metric")
    alone = not trained and sum(map(bool, attacks.values())) == 1
    if trained:
        figures(config, trained[0].metric, trained, sink)
        table(config, trained[0].metric, trained, sink)
    for metric, points in attacks.items():
        if points:
            name, budget = ATTACKED[metric]
            figures(config if alone else f"{config}-{name}", metric, points, sink, prefer=budget)
            table(config if alone else f"{config}-{name}", metric, points, sink)


def _trained(results, attacked):
    """Points of the first preferred metric; where attacks are shown by themselves, of runs without one."""
    for metric in (*PREFERRED, *results.metrics()):
        points = [p for p in results.finals(metric) if not (attacked and p.run.attack)]
        if points:
            return points
    return []


def asked(config, results, sink, metric=None, x=None, facet=None):
    """The figure of `metric` over `x` (a column or a key of the config), a panel for each value of `facet`."""
    x, facet = (series.COLUMN_OF.get(key, key) for key in (x, facet))
    metric = metric or next((m for m in PREFERRED if results.finals(m)), None)
    points = results.finals(metric)
    if not points:
        raise BadResults(f"{config} has no metric '{metric}'; there are: {', '.join(sorted(results.metrics()))}")
    runs = captions.runs_of(points)
    there = list(dict.fromkeys(("dataset", *series.differing(runs))))
    for key in filter(None, (x, facet)):
        if key not in there:
            raise BadResults(f"{config} has no key '{key}' that its runs differ in; there are: {', '.join(there)}")
    if x and not any(series.number(series.facet(r, x)) is not None for r in runs):
        raise BadResults(f"{x} has no numbers; draw it as panels: --facet {x}")
    name = "-".join([config, metric, *(["over", x] if x else []), *(["by", facet] if facet else [])])
    figures(name, metric, points, sink, x, facet)


def figures(name, metric, points, sink, x=None, facet=None, prefer=None):
    """One for each reading, unless readings are the panels."""
    for suffix, part in [("", points)] if facet == "reading" else by_reading(points):
        axis = x or series.first_numeric_axis([p.run for p in part], prefer, facet)
        (_sweep if axis else _dots)(name + suffix, metric, axis, facet, part, sink)


def _panels(points, facet):
    """[(title, points)]: one for each dataset, value of the facet, and what else the numbers are about (party, view, ...)."""
    qualified = _several_in_a_run(points)
    found = {}
    for p in points:
        about = tuple(getattr(p.about, name) for name in qualified)
        found.setdefault((p.run.dataset, about), []).append(p)
    order = dataset_order({p.run.dataset for p in points})
    panels = []
    for (dataset, about), here in sorted(found.items(), key=lambda item: (order.index(item[0][0]), item[0][1])):
        for told, part in _by_facet(here, facet):
            panels.append((", ".join(filter(None, (dataset, *about, told))), part))
    return panels


def _several_in_a_run(points):
    """The qualifiers that tell the numbers of one run apart; what follows from others (delta from the party) is left out."""
    chosen = []
    for name in QUALIFIERS:
        found = {}
        for p in points:
            found.setdefault((id(p.run), p.round, *(getattr(p.about, n) for n in chosen)), set()).add(getattr(p.about, name))
        if any(len(values) > 1 for values in found.values()):
            chosen.append(name)
    return chosen


def _by_facet(points, facet):
    """[(value in words, points with it or without any)]"""
    of_run = series.panel_values([p.run for p in points], facet) if facet and facet != "dataset" else {}
    values = set(of_run.values()) - {None}
    if not values:
        return [("", points)]
    return [(f"{series.axis_name(facet)} = {series.short(value)}", [p for p in points if of_run[id(p.run)] in (None, value)])
            for value in sorted(values, key=lambda v: (series.number(v) is None, series.number(v) or 0, str(v)))]


def _is_seconds(metric):
    return metric.startswith("seconds")


def _sweep(name, metric, axis, facet, points, sink):
    panels = _panels(points, facet)
    summarise = series.middle if _is_seconds(metric) else series.moments
    figure, axes = style.grid(len(panels), 3, sharey=metric in ATTACKED)
    moved = False
    every = [series.lines(here, axis, series.varying([p.run for p in here], (axis, facet, *IGNORED)), summarise)
             for _, here in panels]
    own = looks.told_apart([line for drawn in every for line in drawn], by_attack=metric in ATTACKED)
    for ax, (title, here), drawn in zip(axes, panels, every):
        moved |= any(max(line.means) - min(line.means) > MOVED for line in drawn)
        _draw(ax, metric, drawn, lambda line: own[line.name])
        series.sweep_axis(ax, axis, [series.number(series.facet(p.run, axis)) for p in here])
        style.panel_title(ax, title)
        ax.set_ylabel(series.metric_name(metric))
    flat = "" if moved or metric not in ATTACKED else f" Flat: no line moves by more than {MOVED:g} with {series.plain_name(axis)}."
    _finish(name, f"{captions.sentence(series.metric_name(metric))} over {series.plain_name(axis)}",
            figure, metric, points, sink, (axis, facet), flat)


def _draw(ax, metric, drawn, look):
    if metric in ATTACKED:
        series.draw(ax, drawn, look, label=lambda line: f"{line.attack} on {line.label}")
        ax.axhline(0.5, color="0.5", linestyle=":", linewidth=1, label="a blind guess")
        ax.set_ylim(min([0.44, *(low - 0.02 for line in drawn for low in line.lows)]), 1.02)
        return
    series.draw(ax, drawn, look, label=lambda line: line.label + (f" {line.attack}" if line.attack else ""))
    if _is_seconds(metric):
        style.log_axis(ax.yaxis)


def _dots(name, metric, _, facet, points, sink):
    panels = _panels(points, facet)
    keys = series.varying([p.run for p in points], (facet, *IGNORED))
    summarise = series.middle if _is_seconds(metric) else series.moments

    def label(line):
        return line.label + (f" {line.attack}" if line.attack else "")
    labels = list(dict.fromkeys(map(label, series.lines(points, None, keys))))
    figure, axes = style.grid(len(panels), 3, height=0.8 + 0.22 * len(labels), sharey=True)
    for ax, (title, here) in zip(axes, panels):
        for line in series.lines(here, None, keys, summarise):
            look, at = style.method_look(line.method), labels.index(label(line))
            ax.plot([line.lows[0], line.highs[0]], [at, at], color=look.colour, linewidth=1)
            ax.plot(line.means[0], at, look.marker, color=look.colour)
        if metric in ATTACKED:
            ax.axvline(0.5, color="0.5", linestyle=":", linewidth=1, label="a blind guess")
        if _is_seconds(metric):
            style.log_axis(ax.xaxis)
        else:
            ax.margins(x=0.15)
            ax.locator_params(axis="x", nbins=5)
        ax.set_yticks(range(len(labels)), labels)
        ax.set_ylim(len(labels) - 0.5, -0.5)
        style.panel_title(ax, title)
        ax.set_xlabel(series.metric_name(metric))
    _finish(name, f"{captions.sentence(series.metric_name(metric))} of each method", figure, metric, points, sink, (facet,))


def _spread_text(metric, points, by):
    if set(by) & {"repeat", "seed"}:
        return "Each repeat by itself"
    if _is_seconds(metric) and max(captions.repeat_counts(points)) > 1:
        return f"Median of {captions.spanned(captions.repeat_counts(points))} repeats, whisker: least to largest"
    return captions.sentence(captions.repeats_text(points))


def _finish(name, title, figure, metric, points, sink, by, more=""):
    """by: the keys of the axis and of the panels."""
    runs = captions.runs_of(points)
    about = captions.machine_text(runs) if _is_seconds(metric) else captions.reading_text(runs)
    caption = f"{_spread_text(metric, points, by)}. {captions.sentence(about)}.{more}"
    sink.figure(figure, name, title, caption, f"{title}. {worst_and_best(points)}", points)


def table(config, metric, points, sink):
    datasets = dataset_order({p.run.dataset for p in points})
    keys = series.varying([p.run for p in points], IGNORED)
    rows = {}
    for p in points:
        variant = series.variant_text(p.run, keys)
        label = " ".join(filter(None, (p.run.method, f"({variant})" if variant else "", p.run.attack)))
        rows.setdefault((style.method_order(p.run.method), label), {}).setdefault(p.run.dataset, []).append(p.value)
    made = [[label, *(auc_cell(stats.mean(v[d]), stats.deviation(v[d]), len(v[d])) if d in v else "–"
                      for d in datasets)] for (_, label), v in sorted(rows.items())]
    sink.table(config, captions.sentence(series.metric_name(metric)),
               "Mean ± standard deviation over repeats.", ["method", *datasets], made, points)
