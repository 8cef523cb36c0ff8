"""fig-convergence: test AUC over rounds and the distance to where nonprivate ends, a figure for each dataset, a pair of
panels for each eps_AP."""
from . import captions, gaps, series
from .panels import by_reading, dataset_order, pairs_of_panels, worst_and_best


def build(config, results, sink):
    points = results.curve("test_auc")
    if not points:
        return sink.skip(config, "no test_auc with a round")
    differences = gaps.against(points, results.finals("test_auc"), gaps.CEILING)
    for suffix, part in by_reading(points):
        for dataset in dataset_order({p.run.dataset for p in part}):
            here = [p for p in part if p.run.dataset == dataset]
            chosen = {id(p.run) for p in here}
            _figure(f"{config}{suffix}-{dataset}", dataset, here, [d for d in differences if id(d.run) in chosen], sink)


def _figure(name, dataset, points, differences, sink):
    budgets = sorted({p.run.eps_ap for p in points if p.run.eps_ap is not None})
    if not budgets:
        return sink.skip(name, "no method with a budget eps_AP has results")
    figure, pairs = pairs_of_panels(len(budgets), lower=bool(differences))
    below = []
    for (upper, lower), budget in zip(pairs, budgets):
        _panel(upper, points, budget, "test AUC")
        upper.set_title(f"{series.axis_name('eps_ap')} = {budget:g}")
        if lower:
            below += _panel(lower, differences, budget, f"AUC − {gaps.CEILING}'s last")
            upper.set_xlabel("")
    if below:
        gaps.axes([lower for _, lower in pairs], below)
    title = f"Convergence on {dataset}"
    told = f" Lower panels: less {gaps.CEILING}'s AUC after the last round; logarithmic beyond ±{gaps.LINEAR:g}."
    caption = (f"Test AUC after each round, {captions.repeats_text(points, mark='')}.{told if differences else ''} "
               f"{captions.reading_text(captions.runs_of(points))}.")
    last = max(p.round for p in points)
    sink.figure(figure, name, title, caption,
                f"{title}: test AUC over rounds for eps_AP {', '.join(f'{b:g}' for b in budgets)}. "
                f"After the last round: {worst_and_best([p for p in points if p.round == last])}", points)


def _panel(ax, points, budget, ylabel):
    here = [p for p in points if p.run.eps_ap in (None, budget)]
    keys = series.varying([p.run for p in here], ("eps_ap", "source", "threads"))
    drawn = series.lines(here, "round", keys)
    series.draw(ax, drawn, markers=False, whiskers=False)
    series.round_axis(ax)
    ax.set_ylabel(ylabel)
    return drawn
