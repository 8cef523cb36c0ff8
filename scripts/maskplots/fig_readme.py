"""The README's figure: what a user gains over AP training alone, for masked and what could be taken instead, under the
paper's reading of the budgets and like for like."""
from pathlib import Path

from . import captions, gaps, series, style
from .panels import dataset_order
from .results import BadResults

NAME = "fig-utility"
FLOOR = "local"
ROWS = (("fig-utility", "paper", "as the paper reads its budgets"), ("fig-utility-message", "message", "like for like"))
METHODS = ("nonprivate", "random-split", "label-rr", "late-fusion", "xgb-ldp", "masked")
LOWEST = -0.1  # further down a line leaves its panel, and its name says so
WIDTH = 8  # inches; at 100 dots an inch it is read at 800 pixels


def _points(results, config):
    points = results.of_config(config).finals("test_auc")
    plain = [p for p in points if p.run.method in (FLOOR, *METHODS) and p.run.param("verify") is None]
    return gaps.against(plain, plain, FLOOR)


def write(results, folder):
    """[path] of fig-utility.png."""
    rows = [(title, _points(results, config)) for config, _, title in ROWS]
    missing = [config for (config, _, _), (_, points) in zip(ROWS, rows) if not points]
    if missing:
        raise BadResults(f"the README's figure needs test_auc of {FLOOR} and others in {' and '.join(missing)}; run configs/paper.yaml")
    datasets = dataset_order({p.run.dataset for _, points in rows for p in points})
    figure, axes = style.plt.subplots(len(rows), len(datasets), figsize=(WIDTH, 2.0 * len(rows)), squeeze=False,
                                      sharex=True, sharey=True)
    for line, (title, points) in zip(axes, rows):
        for ax, dataset in zip(line, datasets):
            _panel(ax, [p for p in points if p.run.dataset == dataset])
        line[0].set_ylabel(f"{title}\nAUC − {FLOOR}'s", fontsize=7.5)
    for ax, dataset in zip(axes[0], datasets):
        ax.set_title(dataset, fontsize=8.5)
    for ax in axes[-1]:
        ax.set_xlabel(series.axis_name("eps_ap"), fontsize=8)
    axes[0][0].set_ylim(LOWEST, None)
    every = [p for _, points in rows for p in points]
    style.finish(figure, stamp=captions.stamp(every))
    Path(folder).mkdir(parents=True, exist_ok=True)
    return list(style.save(figure, folder, NAME, ["png"], dpi=200).values())


def _panel(ax, points):
    drawn = series.lines(points, "eps_ap", ())
    series.draw(ax, drawn, whiskers=False)
    series.sweep_axis(ax, "eps_ap", [p.run.eps_ap for p in points])
    ax.axhline(0, color=style.method_look(FLOOR).colour, linewidth=1, linestyle=":", label=FLOOR)
    ax.tick_params(labelsize=7)
    for line in drawn:
        if max(line.means) < LOWEST:
            ax.annotate(f"{line.method}\n{max(line.means):+.2f}".replace("0.", ".").replace("-.", "−."), (0.5, 0.02),
                        xycoords="axes fraction", ha="center", fontsize=6.5, color=style.method_look(line.method).colour)
