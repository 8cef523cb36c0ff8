"""fig-utility: test AUC over eps_AP, one panel for each dataset, one figure for each reading."""
from . import series, style
from .panels import by_reading, dataset_order, worst_and_best


def build(config, results, sink):
    points = results.finals("test_auc")
    if not points:
        return sink.skip(config, "no test_auc of a finished run")
    for suffix, part in by_reading(points):
        _figure(config + suffix, part, sink)


def _figure(name, points, sink):
    swept = [p for p in points if p.run.eps_ap is not None]
    if not swept:
        return sink.skip(name, "no method with a budget eps_AP has results")
    datasets = dataset_order({p.run.dataset for p in points})
    figure, axes = style.grid(len(datasets), 3)
    for ax, dataset in zip(axes, datasets):
        here = [p for p in points if p.run.dataset == dataset]
        runs = [p.run for p in here]
        drawn = series.lines(here, "eps_ap", series.varying(runs, ("eps_ap", "source", "threads")))
        series.draw(ax, drawn)
        series.sweep_axis(ax, "eps_ap", [p.run.eps_ap for p in here])
        ax.set_title(dataset)
        ax.set_ylabel("test AUC")
    runs = [p.run for p in points]
    title = "Test AUC over AP's budget"
    caption = (f"{series.sentence(series.repeats_text(points))}. {series.source_text(runs)}. "
               f"{series.reading_text(runs)}. Horizontal lines: methods without eps_AP.")
    style.finish(figure, title, caption)
    sink.figure(figure, name, title, caption,
                f"{title}: one panel for each of {', '.join(datasets)}. {worst_and_best(points)}")
