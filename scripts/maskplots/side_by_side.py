"""masked beside the methods that a user could take instead, on the same partitions, for every reading."""
from . import paper, tables
from .claims_utility import finals
from .verdict import TRAINED_AT, average, cells, readings

FREE = ("local", "random-split", "nonprivate")  # have no budget
METHODS = ("masked", "late-fusion", "label-rr", "xgb-ldp", "fedxgb-ldp")


def on_shared_repeats(points):
    """{reading: points}, of the repeats that masked has under every reading: the same partitions, rows and noise keys."""
    known = readings(points)
    repeats = [{p.run.repeat_key for p in part if p.run.method == "masked"} for part in known.values()]
    shared = set.intersection(*filter(None, repeats)) if any(repeats) else set()
    return {name: [p for p in part if not shared or p.run.repeat_key in shared] for name, part in known.items()}


def markdown(results):
    """One row for each reading and data set: the AUC at every budget that was run."""
    rows = []
    for reading, points in on_shared_repeats([p for p in finals(results) if TRAINED_AT.holds(p.run)]).items():
        means = {key: average(cell) for key, cell in cells(points, "dataset", "method", "eps_ap").items()}
        budgets = sorted({eps for _, _, eps in means if eps is not None})

        def cell(dataset, method, eps):
            return f"{means[dataset, method, eps]:.3f}".lstrip("0") if (dataset, method, eps) in means else "-"
        rows += [[reading, dataset, *(cell(dataset, m, None) for m in FREE),
                  *(" ".join(cell(dataset, m, eps) for eps in budgets) for m in METHODS)]
                 for dataset in paper.DATASETS if any(d == dataset for d, _, _ in means)]
    return tables.markdown(["reading", "data", *FREE, *METHODS], rows)
