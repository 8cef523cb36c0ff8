"""fig-ablation: final AUC over eps_PP, and AUC over rounds for each eps_PP."""
from . import captions, gaps, series, style
from .panels import by_reading, dataset_order, worst_and_best


def build(config, results, sink):
    finals = results.finals("test_auc")
    if not any(p.run.eps_pp is not None for p in finals):
        return sink.skip(config, "no test_auc of a method with a budget eps_PP")
    curves = results.curve("test_auc")
    for suffix, part in by_reading(finals):
        chosen = {id(p.run) for p in part}
        for dataset in dataset_order({p.run.dataset for p in part}):
            def here(points):
                return [p for p in points if p.run.dataset == dataset and id(p.run) in chosen]
            _figure(f"{config}{suffix}-{dataset}", dataset, here(part), here(curves), sink)


def _figure(name, dataset, finals, curves, sink):
    masked = [p for p in curves if p.run.method == "masked"]
    if not masked:
        sink.skip(f"{name}: AUC over rounds", "masked has no test_auc with a round")
    differences = gaps.against(finals, finals, gaps.CEILING)
    shown = differences or finals
    figure, axes = style.grid(2 if masked else 1, 2, width=3.9, height=2.9)
    keys = series.varying([p.run for p in shown], ("eps_pp", "source", "threads"))
    summarise, mark = captions.whiskers(shown)
    series.draw(axes[0], series.lines(shown, "eps_pp", keys, summarise))
    series.sweep_axis(axes[0], "eps_pp", [p.run.eps_pp for p in shown])
    axes[0].set_ylabel(f"AUC − {gaps.CEILING}'s" if differences else "test AUC")
    axes[0].set_title("after the last round")
    if masked:
        _rounds(axes[1], masked)
    title = f"What PP's budget does to masked on {dataset}"
    caption = (f"Left: {captions.repeats_text(shown, mark='')}{mark}. Right: masked, dark to light with growing "
               f"eps_PP. {captions.reading_text(captions.runs_of(finals))}.")
    sink.figure(figure, name, title, caption, f"{title}: {worst_and_best(finals)}", finals)


def _rounds(ax, points):
    budgets = sorted({p.run.eps_pp for p in points} - {None})
    shades = style.plt.get_cmap("viridis")
    for i, budget in enumerate(budgets):
        here = [p for p in points if p.run.eps_pp == budget]
        shade = shades(0.9 * i / max(len(budgets) - 1, 1))
        drawn = series.lines(here, "round", series.varying([p.run for p in here], ("eps_pp", "source", "threads")))
        series.draw(ax, drawn, look=lambda line: style.Look(shade, "o", style.STROKES[drawn.index(line) % len(style.STROKES)]),
                    label=lambda line: f"{series.axis_name('eps_pp')} = {budget:g} {line.variant}".strip(),
                    markers=False, whiskers=False)
    series.round_axis(ax)
    ax.set_ylabel("test AUC")
    ax.set_title("masked, over rounds")
