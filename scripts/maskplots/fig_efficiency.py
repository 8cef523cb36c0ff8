"""tab-efficiency: seconds a tree for each method and dataset beside the paper's."""
from . import paper, series, stats, style
from .panels import dataset_order
from .tables import plus_minus


def cells(results):
    """{(label, dataset): [seconds]}; variants of one method (mode, key size) are rows of their own."""
    points = results.finals("seconds_per_tree")
    keys = series.varying([p.run for p in points], ("source", "reading", "eps_ap", "eps_pp"))
    found = {}
    for p in points:
        variant = series.variant_text(p.run, keys)
        label = f"{p.run.method} ({variant})" if variant else p.run.method
        found.setdefault((p.run.method, label, p.run.dataset), []).append(p.value)
    return found


def build(config, results, sink):
    found = cells(results)
    if not found:
        return sink.skip(config, "no seconds_per_tree")
    datasets = dataset_order({dataset for _, _, dataset in found})
    labels = sorted({(m, label) for m, label, _ in found}, key=lambda k: (style.method_order(k[0]), k[1]))
    runs = [p.run for p in results.finals("seconds_per_tree")]
    machine = ", ".join(sorted({f"{r.cpu} with {series.short(r.threads)} threads" for r in runs}))
    caption = (f"Seconds a tree on {machine or 'an unnamed machine'}, mean ± standard deviation over repeats; "
               f"the paper's own values were measured on {paper.MACHINE}.")
    _table(config, found, labels, datasets, caption, sink)
    _figure(config, found, labels, datasets, caption, sink)


def _table(config, found, labels, datasets, caption, sink):
    def row(method, label):
        values = [found.get((method, label, d)) for d in datasets]
        return [label] + [plus_minus(stats.mean(v), stats.deviation(v), len(v)) if v else "–" for v in values]
    rows = []
    for i, (method, label) in enumerate(labels):
        rows.append(row(method, label))
        last_of_method = i + 1 == len(labels) or labels[i + 1][0] != method
        printed = paper.SECONDS_PER_TREE.get(method, {})
        if last_of_method and any(d in printed for d in datasets):
            rows.append([f"{method}, paper"] + [f"{printed[d]:g}" if d in printed else "–" for d in datasets])
    rows += _speedups(found, datasets)
    sink.table(config, "Seconds a tree", caption, ["method", *datasets], rows)


def _speedups(found, datasets):
    def ratio(d):
        means = {}
        for (method, _, dataset), values in found.items():
            if dataset == d:
                means[method] = min(means.get(method, float("inf")), stats.mean(values))
        if means.get("masked") and means.get("paillier"):
            return f"{means['paillier'] / means['masked']:.2f}×"
        return "–"
    ours = [ratio(d) for d in datasets]
    if set(ours) == {"–"}:
        return []
    printed = paper.SECONDS_PER_TREE
    return [["paillier / masked", *ours],
            ["paillier / masked, paper", *(f"{printed['paillier'][d] / printed['masked'][d]:.2f}×"
                                           if d in printed["masked"] else "–" for d in datasets)]]


def _figure(config, found, labels, datasets, caption, sink):
    figure, axes = style.grid(len(datasets), 3, height=0.9 + 0.17 * len(labels), sharey=True)
    for ax, dataset in zip(axes, datasets):
        for at, (method, label) in enumerate(labels):
            look = style.method_look(method)
            values = found.get((method, label, dataset))
            if values:
                ax.errorbar(stats.mean(values), at, xerr=stats.deviation(values) or None, fmt=look.marker,
                            color=look.colour, capsize=2, label="measured" if at == 0 else None)
            printed = paper.SECONDS_PER_TREE.get(method, {}).get(dataset)
            if printed:
                ax.plot(printed, at, "|", color=style.PAPER, markersize=9, markeredgewidth=2,
                        label="the paper's")
        ax.set_xscale("log")
        ax.set_yticks(range(len(labels)), [label for _, label in labels])
        ax.set_ylim(len(labels) - 0.5, -0.5)
        ax.set_xlabel("seconds a tree")
        ax.set_title(dataset)
    title = "Seconds a tree"
    style.finish(figure, title, caption)
    sink.figure(figure, config + "-plot", title, caption,
                f"{title} on {', '.join(datasets)} for {', '.join(label for _, label in labels)}, "
                "on a logarithmic axis; the numbers are in the table.")
