"""fig-utility: over eps_AP, for each dataset, the test AUC and below it the distance to nonprivate. One figure for each
reading."""
from . import captions, gaps, series
from .panels import by_reading, dataset_order, pairs_of_panels, worst_and_best

NOTICED = 0.005  # a fall of the AUC that the caption explains
TITLES = {
    "paper": "Utility, reading 'paper': masked's budget is for each message, LDP's for all trees",
    "message": "Utility, reading 'message': every message of every method has the whole budget",
    "equal": "Utility, reading 'equal': one budget for the whole training, advanced composition",
    "sound": "Utility, reading 'sound': one budget for the whole training, exact composition",
}


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
    differences = gaps.against(points, points, gaps.CEILING)
    datasets = dataset_order({p.run.dataset for p in points})
    figure, pairs = pairs_of_panels(len(datasets), lower=bool(differences))
    below = []
    for (upper, lower), dataset in zip(pairs, datasets):
        _panel(upper, points, dataset, "test AUC", series.moments, whiskers=False)
        upper.set_title(dataset)
        if lower:
            below += _panel(lower, differences, dataset, f"AUC − {gaps.CEILING}'s", series.trusted)
            upper.set_xlabel("")
    if below:
        gaps.axes([lower for _, lower in pairs], below)
    runs = captions.runs_of(points)
    reading = next((run.reading_name for run in runs if run.reading), "")
    title = TITLES.get(reading, "Test AUC over AP's budget")
    caption = " ".join(filter(None, (_key(points, differences), f"{captions.reading_text(runs)}.", falling(points))))
    sink.figure(figure, name, title, caption,
                f"{title}: two panels for each of {', '.join(datasets)}. {worst_and_best(points)}", points)


def _panel(ax, points, dataset, ylabel, summarise, whiskers=True):
    here = [p for p in points if p.run.dataset == dataset]
    keys = series.varying([p.run for p in here], ("eps_ap", "source", "threads"))
    drawn = series.lines(here, "eps_ap", keys, summarise)
    series.draw(ax, drawn, whiskers=whiskers)
    series.sweep_axis(ax, "eps_ap", [p.run.eps_ap for p in points])
    ax.set_ylabel(ylabel)
    return drawn


def _key(points, differences):
    if not differences:
        return f"{captions.sentence(captions.repeats_text(points))}. Horizontal lines: methods without eps_AP."
    mark = ", whisker: its 95 % interval" if max(captions.repeat_counts(points)) > 1 else ""
    return (f"Upper panels: mean test AUC. Lower panels: mean difference from {gaps.CEILING} on the same rows and features"
            f"{mark}; the axis is logarithmic beyond ±{gaps.LINEAR:g}. Horizontal lines: methods without eps_AP.")


def _falls(points, dataset):
    """(largest fall of masked's mean AUC from a budget to a larger one, the two budgets), or None without any."""
    here = [p for p in points if p.run.dataset == dataset and p.run.method == "masked" and not p.run.param("verify")]
    line = next((line for line in series.lines(here, "eps_ap") if not line.flat), None)
    steps = list(zip(line.xs, line.means)) if line else []
    return max(((a - b, x, y) for i, (x, a) in enumerate(steps) for y, b in steps[i + 1:]), default=None)


def falling(points):
    """Why more budget can give less AUC, where it does."""
    found = {dataset: _falls(points, dataset) for dataset in dataset_order({p.run.dataset for p in points})}
    told = [f"{dataset} (−{fall[0]:.3f} from {fall[1]:g} to {fall[2]:g})" for dataset, fall in found.items()
            if fall and fall[0] > NOTICED]
    if not told:
        return ""
    return (f"masked falls with eps_AP on {', '.join(told)}: the more noise, the more of PP's noisy hessian sums are negative; such "
            "candidates are skipped, and AP's own clean splits are taken instead.")
