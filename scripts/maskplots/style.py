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


@dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    line: str


# Okabe and Ito's colours and three of Tol's; markers and lines tell them apart without colour too.
METHODS = {
    "nonprivate": Look("#000000", "s", "--"),
    "local": Look("#6f6f6f", "d", ":"),
    "random-split": Look("#a3a3a3", "h", "-."),
    "masked": Look("#0072B2", "o", "-"),
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
UNKNOWN = Look("#444444", "*", (0, (1, 1)))
PAPER = "#b30000"
FILLS = ("full", "none", "left", "right", "top", "bottom")  # variants of one method


def method_look(method):
    return METHODS.get(method, UNKNOWN)


def attack_look(attack):
    return ATTACKS.get(attack, UNKNOWN)


def method_order(method):
    return (list(METHODS).index(method) if method in METHODS else len(METHODS), method)


def grid(count, columns, width=3.0, height=2.45, **kwargs):
    """A figure of `count` panels; those left over in the last row are taken away."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(max(width * columns, 5.2), height * rows + 1.0),
                                squeeze=False, **kwargs)
    panels = list(axes.flat)
    for spare in panels[count:]:
        spare.remove()
    return figure, panels[:count]


def finish(figure, title, subtitle="", legend_from=None):
    """Title, wrapped subtitle and one legend under the panels, none of them over another."""
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(subtitle, int(width * 15.5))
    top = 0.38 + 0.155 * len(lines)
    handles = _legend_handles(legend_from or figure.axes)
    longest = max((len(re.sub(r"\$.*?\$", "xxx", label)) for label in handles), default=1)
    columns = max(1, min(len(handles), int(width / (0.5 + 0.07 * longest))))
    bottom = 0.08 + 0.2 * -(-len(handles) // columns) if handles else 0.05
    figure.set_size_inches(width, height + top - 0.5 + bottom - 0.3)
    height = figure.get_size_inches()[1]
    figure.text(0.02, 1 - 0.09 / height, title, ha="left", va="top", fontsize=12, fontweight="bold")
    figure.text(0.02, 1 - 0.34 / height, "\n".join(lines), ha="left", va="top", fontsize=8,
                color="#444444", linespacing=1.25)
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=columns,
                      bbox_to_anchor=(0.5, 0.0), columnspacing=1.4, handlelength=2.6)
    figure.tight_layout(rect=(0, bottom / height, 1, 1 - top / height), h_pad=1.2, w_pad=1.0)


def _legend_handles(axes):
    handles = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    known = sorted(handles, key=lambda label: method_order(label.split(" ")[0])
                   if label.split(" ")[0] in METHODS else (99, ""))
    return {label: handles[label] for label in known}


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
        figure.savefig(paths[kind], metadata=METADATA[kind])
    return paths


def save_for_page(figure, folder, name):
    """The SVG, or the PNG where the SVG is large."""
    paths = save(figure, folder, name, ["svg"])
    if paths["svg"].stat().st_size > LARGE_SVG:
        paths = save(figure, folder, name, ["png"])
    return paths
