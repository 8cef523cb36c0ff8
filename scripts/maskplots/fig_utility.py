"""fig-utility: over eps_AP, for each dataset, the test AUC and below it the distance to nonprivate. One figure for each
reading."""
from . import captions, gaps, series
from .panels import by_reading, dataset_order, pairs_of_panels, worst_and_best

NOTICED = 0.005  # a fall of the AUC that the caption explains
FALLING = ("masked", "xgb-ldp")  # PP searches noisy sums of g and h; AP's share of the row sets falls where their AUC does
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
            below += _panel(lower, differences, dataset, f"AUC − {gaps.CEILING}'s", captions.whiskers(points)[0])
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
    mark = captions.whiskers(points)[1]
    return (f"Upper panels: mean test AUC. Lower panels: mean difference from {gaps.CEILING} on the same rows and features"
            f"{mark}; the axis is logarithmic beyond ±{gaps.LINEAR:g}. Horizontal lines: methods without eps_AP.")


def _falls(points, method, dataset):
    """The largest fall of the mean AUC from a budget to a larger one in words, or "" if there is none to speak of."""
    here = [p for p in points if (p.run.method, p.run.dataset) == (method, dataset) and not p.run.param("verify")
            and p.run.scope != "tree"]  # with noisy leaves an AUC near 1/2 moves by chance
    line = next((line for line in series.lines(here, "eps_ap") if not line.flat), None)
    steps = list(zip(line.xs, line.means)) if line else []
    fall, low, high = max(((a - b, x, y) for i, (x, a) in enumerate(steps) for y, b in steps[i + 1:]), default=(0, 0, 0))
    return f"{dataset} (−{fall:.3f} from {low:g} to {high:g})" if fall > NOTICED else ""


def falling(points):
    """Why more budget can give less AUC, where it does."""
    told = []
    for method in FALLING:
        falls = [_falls(points, method, dataset) for dataset in dataset_order({p.run.dataset for p in points})]
        if any(falls):
            told.append(f"{method} falls with eps_AP on {', '.join(filter(None, falls))}")
    if not told:
        return ""
    return (f"{'; '.join(told)}: with less noise more of PP's noisy candidates have positive hessian sums, and they push out AP's "
            "own clean splits.")
