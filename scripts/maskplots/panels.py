"""What several figures share: order of datasets, split by reading, panels in pairs, a sentence for the alt text."""
from . import paper, series, stats, style


def dataset_order(names):
    known = [name for name in paper.DATASETS if name in names]
    return known + sorted(set(names) - set(known))


def by_reading(points):
    """(suffix of the file name, points) for each reading; methods without one are in all."""
    readings = sorted({p.run.reading_name for p in points if p.run.reading},
                      key=lambda r: (r != "paper", r))
    if len(readings) <= 1:
        return [("", points)]
    return [("" if i == 0 else f"-{reading}",
             [p for p in points if not p.run.reading or p.run.reading_name == reading])
            for i, reading in enumerate(readings)]


def pairs_of_panels(count, lower=True, columns=3, width=3.0, heights=(1.4, 2.5)):
    """(figure, [(upper axes, lower axes or None)]): each pair one above the other."""
    if not lower:
        figure, axes = style.grid(count, columns, width)
        return figure, [(ax, None) for ax in axes]
    columns = min(columns, count)
    blocks = -(-count // columns)
    figure = style.plt.figure(figsize=(max(width * columns, 5.2), sum(heights) * blocks))
    pairs = []
    for place in list(figure.add_gridspec(blocks, columns))[:count]:
        upper, lower = place.subgridspec(2, 1, height_ratios=heights, hspace=0.07).subplots(sharex=True)
        pairs.append((upper, lower))
    return figure, pairs


def worst_and_best(points):
    """Which method has the lowest and the highest mean over everything shown."""
    by_method = {}
    for p in points:
        by_method.setdefault(p.run.method, []).append(p.value)
    means = sorted((stats.mean(values), method) for method, values in by_method.items())
    parts = [f"{method} {mean:.3f}" for mean, method in reversed(means)]
    return f"Mean {series.metric_name(points[0].metric)} over all shown: {', '.join(parts)}."
