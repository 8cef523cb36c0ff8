"""fig-convergence: test AUC over rounds, a figure for each dataset, a panel for each eps_AP."""
from . import series, style
from .panels import by_reading, dataset_order, worst_and_best


def build(config, results, sink):
    points = results.curve("test_auc")
    if not points:
        return sink.skip(config, "no test_auc with a round")
    for suffix, part in by_reading(points):
        for dataset in dataset_order({p.run.dataset for p in part}):
            _figure(f"{config}{suffix}-{dataset}", dataset,
                    [p for p in part if p.run.dataset == dataset], sink)


def _figure(name, dataset, points, sink):
    budgets = sorted({p.run.eps_ap for p in points if p.run.eps_ap is not None})
    if not budgets:
        return sink.skip(name, "no method with a budget eps_AP has results")
    figure, axes = style.grid(len(budgets), 3, sharey=True)
    for ax, budget in zip(axes, budgets):
        here = [p for p in points if p.run.eps_ap in (None, budget)]
        keys = series.varying([p.run for p in here], ("eps_ap", "source", "threads"))
        series.draw(ax, series.lines(here, "round", keys), markers=False)
        ax.set_title(f"{series.axis_name('eps_ap')} = {budget:g}")
        ax.set_xlabel("round")
        ax.set_ylabel("test AUC")
    runs = [p.run for p in points]
    title = f"Convergence on {dataset}"
    caption = (f"Test AUC after each round, {series.repeats_text(points)}. "
               f"{series.source_text(runs)}. {series.reading_text(runs)}.")
    style.finish(figure, title, caption)
    last = max(p.round for p in points)
    sink.figure(figure, name, title, caption,
                f"{title}: test AUC over rounds for eps_AP {', '.join(f'{b:g}' for b in budgets)}. "
                f"After the last round: {worst_and_best([p for p in points if p.round == last])}")
