"""One look for all figures: a fixed colour, marker and line for each method; files that do not
depend on the day they were made."""
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9,
    "legend.fontsize": 8.5, "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.frameon": False,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#e4e4e4", "grid.linewidth": 0.6, "axes.edgecolor": "#555555",
    "axes.titleweight": "bold", "lines.linewidth": 1.5, "lines.markersize": 4.5,
    "svg.hashsalt": "maskbench", "svg.fonttype": "path", "pdf.fonttype": 42, "savefig.dpi": 160,
})
import matplotlib.pyplot as plt  # noqa: E402  after the backend is chosen
from matplotlib.ticker import LogLocator, MaxNLocator  # noqa: E402
from PIL import Image  # noqa: E402  matplotlib needs it too

from . import whole_file  # noqa: E402


@dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    line: str
    width: float = 1.3
    fill: str = "full"


# Okabe and Ito's colours and three of Tol's; markers and lines tell them apart without colour too.
METHODS = {
    "nonprivate": Look("#000000", "s", "--"),
    "local": Look("#6f6f6f", "d", ":"),
    "random-split": Look("#a3a3a3", "h", "-."),
    "masked": Look("#0072B2", "o", "-", 2.2),
    "xgb-ldp": Look("#D55E00", "^", "-"),
    "fedxgb-ldp": Look("#E69F00", "v", "-"),
    "federboost": Look("#009E73", "D", "-"),
    "label-rr": Look("#CC79A7", "P", "-"),
    "bilateral-rr": Look("#882255", "X", (0, (5, 1))),
    "late-fusion": Look("#332288", "*", "-"),
    "opboost": Look("#117733", "p", (0, (5, 1))),
    "smm": Look("#56B4E9", "<", (0, (3, 1, 1, 1))),
    "paillier": Look("#7a4b12", ">", (0, (5, 2, 1, 2))),
}
ATTACKS = {
    "label-nn": Look("#0072B2", "o", "-"),
    "label-nn-decay": Look("#56B4E9", "s", "--"),
    "label-subspace": Look("#D55E00", "^", "-"),
    "label-residue": Look("#882255", "P", "-"),
    "label-average": Look("#009E73", "D", "-"),
    "leaf": Look("#CC79A7", "P", "-"),
    "attribute-minsum": Look("#0072B2", "o", "-"),
    "attribute-likelihood": Look("#D55E00", "^", "-"),
    "attribute-sums": Look("#009E73", "D", "-"),
}
PAPER = "#b30000"
STROKES = ("-", "--", "-.", (0, (2, 1)))
# Methods and attacks of the user's own: 7 colours, 5 markers and 3 lines, of which the first 105 combinations differ.
SPARE = (("#AA3377", "#228833", "#4477AA", "#CC3311", "#999933", "#117777", "#661100"), ("8", "H", "1", "2", "x"),
         ((0, (4, 1, 1, 1)), (0, (2, 1)), (0, (7, 2))))
_own = {}


def introduce(names):
    """Gives names that have no look of their own a place in the cycle, in the order of the alphabet."""
    for name in sorted(set(names) - METHODS.keys() - ATTACKS.keys() - _own.keys() - {""}):
        at = len(_own)
        _own[name] = Look(*(choices[at % len(choices)] for choices in SPARE))


def method_look(method):
    introduce([method])
    return METHODS.get(method) or _own[method]


def attack_look(attack):
    introduce([attack])
    return ATTACKS.get(attack) or _own[attack]


def method_order(method):
    return (list(METHODS).index(method) if method in METHODS else len(METHODS), method)


def attack_order(attack):
    """No attack comes first, then the known ones, then the others by name."""
    return (list(ATTACKS).index(attack) if attack in ATTACKS else len(ATTACKS) if attack else -1, attack)


def grid(count, columns, width=3.0, height=2.45, **kwargs):
    """A figure of `count` panels; those left over in the last row are taken away."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(max(width * columns, 5.2), height * rows),
                                squeeze=False, **kwargs)
    panels = list(axes.flat)
    for spare in panels[count:]:
        spare.remove()
    return figure, panels[:count]


def panel_title(ax, words):
    """In lines as wide as a panel of a grid, lest it runs into the next."""
    ax.set_title("\n".join(_wrapped(words, 34)))


def finish(figure, title="", caption="", stamp=""):
    """Title, wrapped caption, one legend under the panels and the scale in small print, none of them over another.
    The panels keep their height: the figure grows by what is written around them."""
    width, height = figure.get_size_inches()
    heading = _wrapped(title, width * 10.2)
    lines = _wrapped(caption, width * 15.5)
    small = _wrapped(stamp, width * 18)
    handles = _legend_handles(figure.axes)
    columns = _legend_columns(list(handles), width)
    above = 0.14 + 0.2 * len(heading)
    top = above + 0.155 * len(lines) if heading else 0.04
    foot = 0.05 + 0.13 * len(small)
    bottom = foot + 0.2 * -(-len(handles) // columns) + 0.04
    height += top + bottom
    figure.set_size_inches(width, height)
    figure.text(0.02, 1 - 0.09 / height, "\n".join(heading), ha="left", va="top", fontsize=12, fontweight="bold")
    figure.text(0.02, 1 - above / height, "\n".join(lines), ha="left", va="top", fontsize=8,
                color="#444444", linespacing=1.25)
    figure.text(0.02, 0.04 / height, "\n".join(small), ha="left", va="bottom", fontsize=6.8, color="#666666")
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=columns,
                      bbox_to_anchor=(0.5, foot / height), borderaxespad=0.2, columnspacing=1.4, handlelength=2.6)
    figure.tight_layout(rect=(0, bottom / height, 1, 1 - top / height), h_pad=1.2, w_pad=1.0)


def _wrapped(words, width):
    return textwrap.wrap(words, int(width), break_on_hyphens=False)


def _legend_columns(labels, width):
    """As many as fit: a column is as wide as its longest label (in inches, by eye)."""
    sizes = [0.57 + 0.066 * len(re.sub(r"\$.*?\$", "xxx", label)) for label in labels]
    for columns in range(len(labels), 1, -1):
        rows, longer = divmod(len(labels), columns)  # the first columns have one more
        starts = [at * rows + min(at, longer) for at in range(columns + 1)]
        if sum(max(sizes[a:b]) for a, b in zip(starts, starts[1:])) <= width:
            return columns
    return 1


def _legend_handles(axes):
    handles = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    return {label: handles[label] for label in sorted(handles, key=_legend_place)}


def _legend_place(label):
    """Methods, then attacks, then lines for comparison."""
    name = re.split("[ ,]", label)[0]
    for group, order in enumerate((METHODS, ATTACKS)):
        if name in order:
            return group, list(order).index(name)
    return (1, len(ATTACKS)) if name in _own else (2, 0)


def log_axis(axis):
    """A logarithmic axis with plain numbers: .01 .1 1 10."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(numticks=6))
    axis.set_major_formatter(lambda value, _: f"{value:g}".replace("0.", "."))
    axis.set_minor_formatter(lambda value, _: "")


class WholeFromOne(MaxNLocator):
    """Ticks at 1 and at round numbers above it."""

    def __init__(self):
        super().__init__(nbins=6, integer=True, steps=[1, 2, 5, 10])

    def tick_values(self, least, most):
        above = [tick for tick in super().tick_values(0, most) if 1 < tick <= most]
        return [1, *above]


def file_name(text):
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-")


METADATA = {"pdf": {"CreationDate": None, "ModDate": None, "Creator": "maskbench", "Producer": "maskbench"},
            "svg": {"Date": None, "Creator": "maskbench"},
            "png": {"Software": "maskbench"}}
LARGE_SVG = 400_000  # bytes; a page shows the PNG instead


def save(figure, folder, name, kinds=("pdf", "svg", "png")):
    """{kind: path} of NAME.pdf, NAME.svg and NAME.png, without dates."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for kind in kinds:
        paths[kind] = folder / f"{name}.{kind}"
        with whole_file.written(paths[kind]) as scratch:
            figure.savefig(scratch, metadata=METADATA[kind])
    return paths


def save_small(figure, path, dots=200):
    """A PNG of few colours: a third of the size at twice the dots of a screen."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with whole_file.written(path) as scratch:
        figure.savefig(scratch, dpi=dots, metadata=METADATA["png"])
    return copy_small(path, path)


def copy_small(path, copy):
    """The PNG at PATH with few colours, a third of the size."""
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(96)
    reduced.save(copy, optimize=True)
    return copy


def save_for_page(figure, folder, name):
    """The SVG, or the PNG where the SVG is large."""
    paths = save(figure, folder, name, ["svg"])
    if paths["svg"].stat().st_size > LARGE_SVG:
        paths = save(figure, folder, name, ["png"])
    return paths
