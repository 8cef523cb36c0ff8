"""Any config: the metric over the first swept number, or a dot for each method without a sweep."""
from . import series, stats, style
from .panels import by_reading, dataset_order, worst_and_best
from .tables import auc_cell

ATTACKED = {"attack_balanced_accuracy": "labels", "balanced_bit_match": "bits"}  # a blind guess has 1/2
PREFERRED = ("test_auc", "test_accuracy", "attack_accuracy", "bit_match", "seconds_per_tree", "wire_bytes")


def build_seconds(config, results, sink):
    """fig-scaling: the same figure of the time instead of the AUC."""
    build(config, results, sink, ("seconds_per_tree",))


def build(config, results, sink, preferred=PREFERRED):
    metric = next((m for m in (*preferred, *results.metrics()) if results.finals(m)), None)
    if metric is None:
        return sink.skip(config, "no finished run with a metric")
    points = results.finals(metric)
    trained = [p for p in points if not p.run.attack] or points
    _figures(config, metric, trained, sink)
    _table(config, metric, trained, sink)
    for attacked, name in ATTACKED.items():
        points = results.finals(attacked)
        if points and attacked != metric and len(trained) < len(results.finals(metric)):
            _figures(f"{config}-{name}", attacked, points, sink)
            _table(f"{config}-{name}", attacked, points, sink)


def _figures(name, metric, points, sink):
    for suffix, part in by_reading(points):
        axis = series.first_numeric_axis([p.run for p in part])
        (_sweep if axis else _dots)(name + suffix, metric, axis, part, sink)


def _is_balanced(metric):
    return metric in ATTACKED


def _caption(points):
    runs = [p.run for p in points]
    return (f"{series.sentence(series.repeats_text(points))}. {series.source_text(runs)}. "
            f"{series.reading_text(runs)}.")


def _sweep(name, metric, axis, points, sink):
    datasets = dataset_order({p.run.dataset for p in points})
    figure, axes = style.grid(len(datasets), 3)
    for ax, dataset in zip(axes, datasets):
        here = [p for p in points if p.run.dataset == dataset]
        keys = series.varying([p.run for p in here], (axis, "source", "threads"))
        if _is_balanced(metric):
            series.draw(ax, series.lines(here, axis, keys), look=lambda line: style.attack_look(line.attack),
                        label=lambda line: f"{line.attack} on {line.label}")
            ax.axhline(0.5, color="0.5", linestyle=":", linewidth=1, label="a blind guess")
        else:
            label = (lambda line: line.label + (f" {line.attack}" if line.attack else ""))
            series.draw(ax, series.lines(here, axis, keys), label=label)
        series.sweep_axis(ax, axis, [series.number(series.facet(p.run, axis)) for p in here])
        ax.set_title(dataset)
        ax.set_ylabel(series.metric_name(metric))
    _finish(name, f"{series.sentence(series.metric_name(metric))} over {series.plain_name(axis)}",
            figure, points, sink)


def _dots(name, metric, _, points, sink):
    datasets = dataset_order({p.run.dataset for p in points})
    keys = series.varying([p.run for p in points], ("source", "threads"))
    every = series.lines(points, None, keys)
    labels = [line.label for line in every]
    figure, axes = style.grid(len(datasets), 3, height=0.8 + 0.22 * len(labels), sharey=True)
    for ax, dataset in zip(axes, datasets):
        for line in series.lines([p for p in points if p.run.dataset == dataset], None, keys):
            look = style.method_look(line.method)
            ax.errorbar(line.means[0], labels.index(line.label), xerr=line.deviations[0] or None,
                        fmt=look.marker, color=look.colour, capsize=2.5)
        ax.set_yticks(range(len(labels)), labels)
        ax.set_ylim(len(labels) - 0.5, -0.5)
        ax.margins(x=0.15)
        ax.locator_params(axis="x", nbins=5)
        ax.set_title(dataset)
        ax.set_xlabel(series.metric_name(metric))
    _finish(name, f"{series.sentence(series.metric_name(metric))} of each method", figure, points, sink)


def _finish(name, title, figure, points, sink):
    caption = _caption(points)
    style.finish(figure, title, caption)
    sink.figure(figure, name, title, caption, f"{title}. {worst_and_best(points)}")


def _table(config, metric, points, sink):
    datasets = dataset_order({p.run.dataset for p in points})
    keys = series.varying([p.run for p in points], ("source", "threads"))
    rows = {}
    for p in points:
        variant = series.variant_text(p.run, keys)
        label = " ".join(filter(None, (p.run.method, f"({variant})" if variant else "", p.run.attack)))
        rows.setdefault((style.method_order(p.run.method), label), {}).setdefault(p.run.dataset, []).append(p.value)
    made = [[label, *(auc_cell(stats.mean(v[d]), stats.deviation(v[d]), len(v[d])) if d in v else "–"
                      for d in datasets)] for (_, label), v in sorted(rows.items())]
    sink.table(config, series.sentence(series.metric_name(metric)),
               "Mean ± standard deviation over repeats.", ["method", *datasets], made)
