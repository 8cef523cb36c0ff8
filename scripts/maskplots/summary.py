"""summary.csv: mean, standard deviation and n over repeats for each cell, then the cell against every other method's
with the same setting, paired by seeds and repeat: the mean difference with Student's 95 % interval, the paired t and the
exact Wilcoxon signed-rank test, both two-sided, and the t test's p by Holm over all comparisons of that config and metric."""
import csv
import os

from . import stats, style

# What methods are compared by; the rest is only described.
COMPARED = ("test_auc", "test_logloss", "test_rmse", "seconds_per_tree", "attack_auc", "attack_balanced_accuracy",
            "balanced_bit_match")
CELL = ("config dataset source method mode backend eps_ap delta_ap eps_pp delta_pp reading W attack "
        "params metric unit").split()
COLUMNS = CELL + "mean sd n reference mean_difference ci_low ci_high pairs p_paired_t p_wilcoxon p_holm".split()
SHARED_FACETS = ("reading_name", "eps_ap", "delta_ap", "eps_pp", "delta_pp", "device")
SHARED_PARAMS = ("data.", "train.", "attack.")  # the others belong to one method or its budget


def _text(value):
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


class Cell:
    def __init__(self, point):
        self.run, self.metric, self.unit = point.run, point.metric, point.unit
        self.values = {}  # repeat key -> value

    def identity(self):
        params = ";".join(f"{key}={value}" for key, value in self.run.params)
        fixed = {"params": params, "metric": self.metric, "unit": self.unit}
        return [_text(fixed[name] if name in fixed else getattr(self.run, name)) for name in CELL]

    def moments(self):
        values = list(self.values.values())
        spread = _text(stats.deviation(values)) if len(values) > 1 else ""
        return [_text(stats.mean(values)), spread, str(len(values))]

    def comparable(self, other):
        """Same setting wherever both have one; a method without a budget goes with every budget."""
        for name in SHARED_FACETS:
            mine, theirs = self.facet(name), other.facet(name)
            if mine not in ("", None) and theirs not in ("", None) and mine != theirs:
                return False
        return self.shared_params() == other.shared_params()

    def facet(self, name):
        # cpu-avx2 and cpu: the same device; which instructions a method has kernels for is its own affair
        return self.run.backend.split("-")[0] if name == "device" else getattr(self.run, name)

    def shared_params(self):
        return [(k, v) for k, v in self.run.params if k.startswith(SHARED_PARAMS)]

    def against(self, reference):
        shared = sorted(self.values.keys() & reference.values.keys(), key=repr)
        if not shared:
            return None
        differences = [self.values[key] - reference.values[key] for key in shared]
        budget = f" eps_ap={reference.run.eps_ap:g}" if reference.run.eps_ap is not None else ""
        budget += f" eps_pp={reference.run.eps_pp:g}" if reference.run.eps_pp is not None else ""
        variant = [f" {k}={v}" for k, v in reference.run.params if not k.startswith(SHARED_PARAMS)]
        low, high = stats.interval(differences) or (None, None)
        return Comparison(self, reference.run.method + budget + "".join(variant), stats.mean(differences), low, high,
                          len(shared), stats.paired_t(differences), stats.wilcoxon(differences))


class Comparison:
    def __init__(self, cell, reference, *numbers):
        self.cell, self.reference = cell, reference
        self.difference, self.low, self.high, self.pairs, self.p_t, self.p_w = numbers
        self.p_holm = None

    def texts(self):
        return [self.reference, *map(_text, (self.difference, self.low, self.high)), str(self.pairs),
                *map(_text, (self.p_t, self.p_w, self.p_holm))]


def cells(results):
    found = {}
    for metric in results.metrics():
        for p in results.finals(metric):
            fields = tuple(getattr(p.run, name) for name in CELL[:-2])
            found.setdefault((*fields, metric), Cell(p)).values[p.run.repeat_key] = p.value
    return list(found.values())


def place(cell):
    """Rows stand in the order of methods; of two methods the later one is compared with the earlier."""
    return (cell.run.config, cell.run.dataset, style.method_order(cell.run.method), cell.identity())


def compare(every):
    """{id of a cell: its comparisons}, corrected within a config and metric."""
    peers, families, found = {}, {}, {}
    for cell in every:
        if cell.metric in COMPARED:
            run = cell.run
            peers.setdefault((run.config, run.dataset, run.source, run.attack, cell.metric), []).append(cell)
    for (config, *_, metric), group in peers.items():
        for i, cell in enumerate(group):
            for other in group[:i]:
                if other.run.method == cell.run.method or not cell.comparable(other):
                    continue
                test = cell.against(other)
                if test:
                    found.setdefault(id(cell), []).append(test)
                    families.setdefault((config, metric), []).append(test)
    for family in families.values():
        for test, p in zip(family, stats.holm([t.p_t for t in family])):
            test.p_holm = p
    return found


def rows(results):
    every = sorted(cells(results), key=place)
    found = compare(every)
    for cell in every:
        lead = cell.identity() + cell.moments()
        yield lead + [""] * (len(COLUMNS) - len(lead))
        for test in found.get(id(cell), ()):
            yield lead + test.texts()


def write(results, path):
    """Whole or not at all: written beside and moved into place."""
    scratch = f"{path}.new"
    with open(scratch, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(rows(results))
    os.replace(scratch, path)
