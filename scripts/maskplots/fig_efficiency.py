"""tab-efficiency: seconds a tree for each method and dataset beside the paper's. fig-scaling: over the number of features."""
from statistics import median

from . import captions, fig_auto, paper, series, style
from .panels import dataset_order

SECONDS = "seconds_per_tree"


def cells(results):
    """{(method, label, dataset): [seconds]}; variants of one method (mode, key size) are rows of their own."""
    points = results.finals(SECONDS)
    keys = [k for k in series.varying([p.run for p in points], ("source", "reading", "eps_ap", "eps_pp"))
            if k != "paillier.key_bits"]
    found = {}
    for p in points:
        bits = f"{series.facet(p.run, 'paillier.key_bits'):g} bits" if p.run.method == "paillier" else ""
        variant = ", ".join(filter(None, (bits, series.variant_text(p.run, keys))))
        label = f"{p.run.method} ({variant})" if variant else p.run.method
        found.setdefault((p.run.method, label, p.run.dataset), []).append(p.value)
    return found


def build_scaling(config, results, sink):
    points = results.finals(SECONDS)
    if not points:
        return sink.skip(config, f"no {SECONDS}")
    fig_auto.figures(config, SECONDS, points, sink)
    fig_auto.table(config, SECONDS, points, sink)


def build(config, results, sink):
    found, points = cells(results), results.finals(SECONDS)
    if not found:
        return sink.skip(config, f"no {SECONDS}")
    datasets = dataset_order({dataset for _, _, dataset in found})
    labels = sorted({(m, label) for m, label, _ in found}, key=lambda k: (style.method_order(k[0]), k[1]))
    caption = _caption(captions.runs_of(points))
    _table(config, found, labels, datasets, caption, points, sink)
    _figure(config, found, labels, datasets, caption, points, sink)


def _caption(runs):
    rows = sorted({captions.rows_asked(r) for r in runs})
    scale = " and ".join(map(captions.rows_text, rows))
    unequal = ": not the same work" if any(rows) else ""
    return (f"Seconds a tree on {captions.machine_text(runs)}, median of the repeats (least to largest). The paper's own "
            f"values were measured on {paper.MACHINE} and on all of its rows, those here on {scale}{unequal}.")


def _cell(values):
    if not values:
        return "–"
    return f"{median(values):.3g}" + (f" ({min(values):.3g} to {max(values):.3g})" if len(values) > 1 else "")


def _table(config, found, labels, datasets, caption, points, sink):
    rows = []
    for i, (method, label) in enumerate(labels):
        rows.append([label, *(_cell(found.get((method, label, d))) for d in datasets)])
        last_of_method = i + 1 == len(labels) or labels[i + 1][0] != method
        printed = paper.SECONDS_PER_TREE.get(method, {})
        if last_of_method and any(d in printed for d in datasets):
            rows.append([f"{method}, paper", *(f"{printed[d]:g}" if d in printed else "–" for d in datasets)])
    rows += _speedups(found, datasets)
    sink.table(config, "Seconds a tree", caption, ["method", *datasets], rows, points)


def _speedups(found, datasets):
    def ratio(d):
        best = {}
        for (method, _, dataset), values in found.items():
            if dataset == d:
                best[method] = min(best.get(method, float("inf")), median(values))
        if best.get("masked") and best.get("paillier"):
            return f"{best['paillier'] / best['masked']:.2f}×"
        return "–"
    ours = [ratio(d) for d in datasets]
    if set(ours) == {"–"}:
        return []
    printed = paper.SECONDS_PER_TREE
    return [["paillier / masked", *ours],
            ["paillier / masked, paper", *(f"{printed['paillier'][d] / printed['masked'][d]:.2f}×"
                                           if d in printed["masked"] else "–" for d in datasets)]]


def _figure(config, found, labels, datasets, caption, points, sink):
    figure, axes = style.grid(len(datasets), 3, height=0.7 + 0.17 * len(labels), sharey=True, sharex=True)
    for ax, dataset in zip(axes, datasets):
        for at, (method, label) in enumerate(labels):
            look = style.method_look(method)
            values = found.get((method, label, dataset))
            if values:
                ax.plot([min(values), max(values)], [at, at], color=look.colour, linewidth=1)
                ax.plot(median(values), at, look.marker, color=look.colour)
            printed = paper.SECONDS_PER_TREE.get(method, {}).get(dataset)
            if printed:
                ax.plot(printed, at, "|", color=style.PAPER, markersize=9, markeredgewidth=2)
        style.log_axis(ax.xaxis)
        ax.tick_params(labelbottom=True)
        ax.set_yticks(range(len(labels)), [label for _, label in labels])
        ax.set_ylim(len(labels) - 0.5, -0.5)
        ax.set_xlabel("seconds a tree")
        ax.set_title(dataset)
    axes[0].plot([], "o", color="#555555", label="measured here")
    axes[0].plot([], "|", color=style.PAPER, markersize=9, markeredgewidth=2, label="the paper's")
    title = "Seconds a tree, here and in the paper"
    sink.figure(figure, config + "-plot", title, caption,
                f"{title} on {', '.join(datasets)} for {', '.join(label for _, label in labels)}, "
                "on a logarithmic axis; the numbers are in the table.", points)
