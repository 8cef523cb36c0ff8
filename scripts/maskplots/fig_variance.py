"""tab-variance: where the spread of the AUC over runs comes from, for each method: which features the parties hold,
which rows train and test, and the noise."""
from . import stats, style
from .verdict import plain

SOURCES = ("partition", "split", "noise")


def components(points):
    """(sd by the partition, by the split within a partition, by the noise within both), or None if the
    points do not say: each level needs two values below every one above it."""
    cells = {}
    for p in points:
        cells.setdefault(p.run.seed_partition, {}).setdefault(p.run.seed_split, []).append(p.value)
    groups = [list(splits.values()) for splits in cells.values()]
    if len(groups) < 2 or any(len(splits) < 2 or any(len(c) < 2 for c in splits) for splits in groups):
        return None
    return stats.nested_deviations(groups)


def rows_of(results):
    """[(method, dataset, eps_AP, mean, total sd, components)] in the order of the methods."""
    cells = {}
    for p in plain(results.finals("test_auc")):
        cells.setdefault((p.run.method, p.run.dataset, p.run.eps_ap), []).append(p)
    found = []
    for (method, dataset, eps), points in cells.items():
        parts = components(points)
        if parts:
            values = [p.value for p in points]
            found.append((method, dataset, eps, stats.mean(values), stats.deviation(values), parts, len(values)))
    return sorted(found, key=lambda row: (row[1], style.method_order(row[0]), row[2] or 0))


def build(config, results, sink):
    found = rows_of(results)
    if not found:
        return sink.skip(config, "no method has two partitions, two splits in each and two noises in each of those")
    rows = [[dataset, method, "" if eps is None else f"{eps:g}", f"{mean:.4f}", f"{total:.4f}",
             *(f"{part:.4f}" for part in parts), count]
            for method, dataset, eps, mean, total, parts, count in found]
    sink.table(config, "Where the spread of the test AUC comes from",
               "Standard deviations of the test AUC over all runs, and split: by which features each party holds, by which "
               "rows train and test given that, by the noise given both (components of a nested analysis of variance; 0 where "
               "the estimate is not positive).",
               ["dataset", "method", "eps_AP", "mean", "all", *(f"by the {s}" for s in SOURCES), "runs"], rows,
               results.finals("test_auc"))
