"""The README's figure: what a user gains over AP training alone, by masked and by what could be taken instead, as the paper
reads its budgets and like for like."""
from pathlib import Path

from . import captions, gaps, series, style
from .panels import dataset_order
from .results import BadResults

NAME = "fig-utility"
FLOOR = "local"
ROWS = (("fig-utility", "the paper's budgets"), ("fig-utility-message", "like for like"))  # configs
METHODS = ("nonprivate", "random-split", "label-rr", "late-fusion", "xgb-ldp", "masked")
LOWEST = -0.115  # a line that is all below leaves its panel, which says so
TITLE = f"Test AUC gained over AP alone ({FLOOR}), by AP's budget"
CAPTION = ("The paper's budgets: masked has eps_AP for each message, xgb-ldp for all trees together. Like for like: both for each "
           "message. label-rr and late-fusion have it for the whole training; random-split has no budget.")


def write(results, folder):
    """[path] of fig-utility.png."""
    rows = _rows(results)
    every = [p for _, points in rows for p in points]
    datasets = dataset_order({p.run.dataset for p in every})
    figure, axes = style.plt.subplots(len(rows), len(datasets), squeeze=False, sharex=True, sharey=True,
                                      figsize=(8, 1.75 * len(rows)))  # read at 800 pixels
    tops = [0.0]
    for line, (title, points) in zip(axes, rows):
        for ax, dataset in zip(line, datasets):
            tops += _panel(ax, [p for p in points if p.run.dataset == dataset])
        line[0].set_ylabel(title, fontweight="bold")
    for ax, dataset in zip(axes[0], datasets):
        ax.set_title(dataset)
        ax.set_xlabel("")
    axes[0][0].set_ylim(LOWEST, 1.1 * max(tops))
    style.finish(figure, TITLE, CAPTION, captions.stamp(every))
    return [style.save_small(figure, Path(folder) / f"{NAME}.png")]


def _rows(results):
    """[(title, points)], of the repeats that all rows have."""
    rows = [(title, _points(results, config)) for config, title in ROWS]
    missing = [config for (config, _), (_, points) in zip(ROWS, rows) if not points]
    if missing:
        raise BadResults(f"the README's figure needs test_auc of {FLOOR} and others in {' and '.join(missing)}; "
                         "run configs/paper.yaml")
    shared = set.intersection(*({p.run.repeat_key for p in points} for _, points in rows))
    return [(title, [p for p in points if p.run.repeat_key in shared]) for title, points in rows]


def _points(results, config):
    """Less local's, repeat by repeat; variants of a method (verify) are left out."""
    points = [p for p in results.of_config(config).finals("test_auc")
              if p.run.method in (FLOOR, *METHODS) and not p.run.param("verify")]
    return gaps.against(points, points, FLOOR)


def _panel(ax, points):
    """Draws them; [the highest mean of each line]"""
    drawn = series.lines(points, "eps_ap")
    series.draw(ax, drawn, whiskers=False)
    budgets = sorted({p.run.eps_ap for p in points} - {None})
    series.sweep_axis(ax, "eps_ap", budgets)
    few = [b for b in budgets if b in (0.5, 2, 8)] or budgets
    ax.set_xticks(few, [f"{b:g}" for b in few])
    ax.axhline(0, color=style.method_look(FLOOR).colour, linewidth=1, linestyle=":", label=FLOOR)
    ax.tick_params(labelsize=7.5)
    ax.yaxis.set_major_formatter(lambda y, _: gaps.signed(round(y, 6)))
    for line in drawn:
        if max(line.means) < LOWEST:
            ax.text(0.5, 0.03, f"{line.method} ≤ {gaps.signed(round(max(line.means), 2))} ↓", transform=ax.transAxes,
                    ha="center", fontsize=6.5, color=style.method_look(line.method).colour)
    return [max(line.means) for line in drawn]
