"""How far a method is from a reference on the same rows and features: differences repeat by repeat, and their axis."""
from . import style
from .results import Point

METRIC = "gap"
CEILING = "nonprivate"
TICKS = (0.003, 0.01, 0.03, 0.1, 0.3)
LINEAR = 0.003  # nearer to 0 the axis is linear


def _setting(run):
    """What two runs must share to be compared."""
    shared = tuple((k, v) for k, v in run.params if k.startswith(("data.", "train.")))
    return (run.config, run.dataset, run.source, run.repeat_key, shared)


def against(points, finals, reference):
    """The points less the reference method's value after the last round, of the same setting and repeat; those without one
    are left out, and so is the reference itself if only its last value is among the points."""
    known = {_setting(p.run): p.value for p in finals if p.run.method == reference}
    return [Point(p.run, p.round, METRIC, p.value - known[_setting(p.run)], p.unit, p.status, p.reason) for p in points
            if _setting(p.run) in known and not (p.run.method == reference and p.round is None)]


def axes(panels, drawn):
    """One axis for all panels of these lines, logarithmic in the distance on both sides of 0, so that .002 and .3 can be
    read in one."""
    ticks = [-t for t in reversed(TICKS)] + [0] + list(TICKS)
    lowest = min((low for line in drawn for low in line.lows), default=0)
    highest = max((high for line in drawn for high in line.highs), default=0)
    for ax in panels:
        ax.set_yscale("symlog", linthresh=LINEAR, linscale=0.5)
        ax.set_yticks(ticks, [signed(t) for t in ticks])
        ax.minorticks_off()
        ax.set_ylim(1.3 * min(lowest, -LINEAR), max(1.3 * highest, LINEAR / 2))
        ax.axhline(0, color=style.method_look(CEILING).colour, linewidth=1, linestyle="--")


def signed(value):
    return f"{value:+g}".replace("0.", ".").replace("-", "−") if value else "0"
