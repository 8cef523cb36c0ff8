"""fig-delta-pp: theorem 3's delta_PP over R = sigma1^2/sigma2^2, as printed and tight.

Metrics delta_pp_printed and delta_pp_tight of a masked run, with R as privacy.ratio and W in its column."""
import itertools

from . import series, style

DASH = {"delta_pp_printed": "--", "delta_pp_tight": "-"}
NAMES = {"delta_pp_printed": "as printed", "delta_pp_tight": "tight, both directions"}
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
SMALLEST = 1e-12


def build(config, results, sink):
    points = [p for metric in DASH for p in results.finals(metric)
              if series.facet(p.run, "privacy.ratio") and p.run.eps_pp is not None]
    if not points:
        return sink.skip(config, "no delta_pp_printed or delta_pp_tight with privacy.ratio")
    for metric in DASH:
        if not any(p.metric == metric for p in points):
            sink.skip(f"{config}: {NAMES[metric]}", f"no {metric}")
    for W in sorted({p.run.W or 1 for p in points}):
        _figure(config if W == 1 else f"{config}-W{W:g}", W,
                [p for p in points if (p.run.W or 1) == W], sink)


def _figure(name, W, points, sink):
    figure, (ax,) = style.grid(1, 1, width=6.4, height=3.4)
    budgets = sorted({p.run.eps_pp for p in points})
    broken = []
    for colour, budget in zip(itertools.cycle(COLOURS), budgets):
        curves = {m: _curve(points, m, budget) for m in DASH}
        for metric, curve in curves.items():
            shown = [(r, d) for r, d in curve.items() if d >= SMALLEST]
            if shown:
                ax.plot(*zip(*shown), color=colour, linestyle=DASH[metric])
        over = [r for r, d in curves["delta_pp_tight"].items()
                if d > curves["delta_pp_printed"].get(r, float("inf"))]
        if over:
            broken.append(f"eps_PP {budget:g} (R from {min(over):.3g} to {max(over):.3g})")
        ax.plot([], color=colour, label=f"{series.axis_name('eps_pp')} = {budget:g}")
    for metric, dash in DASH.items():
        ax.plot([], color="#555555", linestyle=dash, label=NAMES[metric])
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(SMALLEST, 2)
    ax.set_xlabel(series.axis_name("privacy.ratio"))
    ax.set_ylabel(series.axis_name("delta_pp"))
    title = f"Theorem 3: delta_PP for W = {W:g}"
    verdict = ("The true delta is above the printed one for " + "; ".join(broken) if broken
               else "The printed delta is never below the true one here")
    caption = f"Values under {SMALLEST:g} are cut. {verdict}."
    sink.figure(figure, name, title, caption, f"{title} over sigma1^2/sigma2^2, logarithmic axes. {verdict}.", points)


def _curve(points, metric, budget):
    """{R: delta}, R ascending; all datasets agree as n hardly matters, so the largest is kept."""
    curve = {}
    for p in points:
        if p.metric == metric and p.run.eps_pp == budget:
            ratio = series.facet(p.run, "privacy.ratio")
            curve[ratio] = max(curve.get(ratio, 0.0), p.value)
    return dict(sorted(curve.items()))
