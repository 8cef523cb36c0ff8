"""tab-deviation: what a party gains or loses by leaving the protocol. A row for each deviation (all
that differs from the honest run), with the difference from the honest run of the same seeds."""
from . import series, stats
from .verdict import shared_differences

METRICS = ("test_auc", "attack_accuracy", "attack_balanced_accuracy", "attack_auc", "bit_match",
           "balanced_bit_match", "true_argmax_share", "gain_lost")
ATTACK_METRICS = METRICS[1:6]


def deviation_of(run, keys):
    """The changed keys as text; empty for the honest run, whose keys all have their defaults."""
    changed = [f"{key.split('.')[-1]}={series.short(series.facet(run, key))}" for key in keys
               if run.param(key) is not None]
    if run.method != "masked":
        changed.insert(0, run.method)
    return ", ".join(changed)


def deviation_cells(results):
    """{(dataset, attack, metric): {deviation: {repeat key: value}}}, '' the honest one."""
    runs = [p.run for p in results.all_points]
    keys = [k for k in series.varying(runs, ("source", "threads")) if "." in k]
    cells = {}
    for metric in METRICS:
        for p in results.finals(metric):
            cell = cells.setdefault((p.run.dataset, p.run.attack, metric), {})
            cell.setdefault(deviation_of(p.run, keys), {})[p.run.repeat_key] = p.value
    return cells


def paired_difference(honest, other):
    """Mean of other - honest over the repeats both have; None without any."""
    differences = shared_differences(other, honest)
    return stats.mean(differences) if differences else None


def build(config, results, sink):
    cells = deviation_cells(results)
    if not any(len(cell) > 1 for cell in cells.values()):
        return sink.skip(config, "no run that departs from the protocol beside one that does not")
    rows = []
    alone = any(not attack for _, attack, _ in cells)
    for (dataset, attack, metric), cell in sorted(cells.items()):
        if attack and alone and metric not in ATTACK_METRICS:
            continue  # the training is the same with and without an attack
        honest = cell.get("")
        for deviation, values in sorted(cell.items()):
            change = paired_difference(honest, values) if honest and deviation else None
            rows.append([deviation or "honest", dataset, attack or "–", series.metric_name(metric),
                         f"{stats.mean(list(values.values())):.4f}", f"{change:+.4f}" if change is not None else "–"])
    sink.table(config, "Leaving the protocol",
               "Means over repeats; change: against the honest run of the same seeds. pp_sigma1, pp_sigma2: factors "
               "on what PP draws with (both 0: B = 0); ap_c: factor on AP's C; pp_split=random: PP's best score with "
               "another of its splits. label attacks are PP's, attribute attacks AP's.",
               ["deviation", "dataset", "attack", "metric", "value", "change"], rows, results.all_points)
