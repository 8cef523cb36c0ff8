"""masked beside the methods that a user could take instead, on the same partitions, for every reading."""
from . import paper, tables
from .claims_utility import finals
from .verdict import TRAINED_AT, average, cells, readings

FREE = ("local", "random-split", "nonprivate")  # have no budget
METHODS = ("masked", "late-fusion", "label-rr", "xgb-ldp", "fedxgb-ldp")
RIVALS = ("xgb-ldp", "fedxgb-ldp", "label-rr", "late-fusion", "random-split", "local")


def on_shared_repeats(points):
    """{reading: points}, of the repeats that masked has under every reading: the same partitions, rows and noise keys."""
    known = readings(points)
    repeats = [{p.run.repeat_key for p in part if p.run.method == "masked"} for part in known.values()]
    shared = set.intersection(*filter(None, repeats)) if any(repeats) else set()
    return {name: [p for p in part if not shared or p.run.repeat_key in shared] for name, part in known.items()}


def means(results):
    """{reading: {(dataset, method, eps_AP or None): mean test AUC}} of the runs at the paper's scale."""
    points = [p for p in finals(results) if TRAINED_AT.holds(p.run)]
    return {reading: {key: average(cell) for key, cell in cells(part, "dataset", "method", "eps_ap").items()}
            for reading, part in on_shared_repeats(points).items()}


def three_digits(value):
    return f"{value:.3f}".replace("0.", ".", 1)


def markdown(results):
    """One row for each reading and data set: the AUC at every budget that was run."""
    rows = []
    for reading, known in means(results).items():
        budgets = sorted({eps for _, _, eps in known if eps is not None})

        def cell(*key):
            return three_digits(known[key]) if key in known else "-"
        rows += [[reading, dataset, *(cell(dataset, m, None) for m in FREE),
                  *(" ".join(cell(dataset, m, eps) for eps in budgets) for m in METHODS)]
                 for dataset in paper.DATASETS if any(d == dataset for d, _, _ in known)]
    return tables.markdown(["reading", "data", *FREE, *METHODS], rows)


def leads(known, rival):
    """masked's mean less the rival's, in every cell that both have."""
    return [value - other for (dataset, method, eps), value in known.items() if method == "masked"
            for other in [known.get((dataset, rival, None if rival in FREE else eps))] if other is not None]


def ranking(results):
    """One row for each reading: in how many cells masked is above each rival, with its largest lead and lag."""
    def cell(lead):
        return f"{sum(x > 0 for x in lead)} of {len(lead)} ({max(lead):+.3f} to {min(lead):+.3f})" if lead else "-"
    return tables.markdown(["reading", *RIVALS],
                           [[reading, *(cell(leads(known, rival)) for rival in RIVALS)] for reading, known in means(results).items()])
