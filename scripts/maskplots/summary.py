"""summary.csv: mean, standard deviation and n over repeats for each cell, then the cell against
masked and against nonprivate, paired by seed and repeat: Student's paired t and the exact Wilcoxon
signed-rank test, both two-sided."""
import csv
import os

from . import stats, style

REFERENCES = ("masked", "nonprivate")
CELL = ("config dataset source method mode backend eps_ap delta_ap eps_pp delta_pp reading W attack "
        "params metric unit").split()
COLUMNS = CELL + "mean sd n reference mean_difference pairs p_paired_t p_wilcoxon".split()
SHARED_FACETS = ("reading_name", "eps_ap", "delta_ap", "eps_pp", "delta_pp", "backend")
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
            mine, theirs = getattr(self.run, name), getattr(other.run, name)
            if mine not in ("", None) and theirs not in ("", None) and mine != theirs:
                return False
        return self.shared_params() == other.shared_params()

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
        return [reference.run.method + budget + "".join(variant), _text(stats.mean(differences)),
                str(len(shared)), _text(stats.paired_t(differences)), _text(stats.wilcoxon(differences))]


def cells(results):
    found = {}
    for metric in results.metrics():
        for p in results.finals(metric):
            fields = tuple(getattr(p.run, name) for name in CELL[:-2])
            found.setdefault((*fields, metric), Cell(p)).values[p.run.repeat_key] = p.value
    return list(found.values())


def rows(results):
    every = cells(results)
    peers = {}
    for cell in every:
        run = cell.run
        if run.method in REFERENCES:
            key = (run.config, run.dataset, run.source, run.attack, cell.metric, run.method)
            peers.setdefault(key, []).append(cell)
    for cell in sorted(every, key=lambda c: (c.run.config, c.run.dataset, style.method_order(c.run.method),
                                             c.identity())):
        lead = cell.identity() + cell.moments()
        yield lead + [""] * 5
        for method in REFERENCES:
            run = cell.run
            key = (run.config, run.dataset, run.source, run.attack, cell.metric, method)
            for reference in peers.get(key, ()) if method != run.method else ():
                test = cell.against(reference) if cell.comparable(reference) else None
                if test:
                    yield lead + test


def write(results, path):
    """Whole or not at all: written beside and moved into place."""
    scratch = f"{path}.new"
    with open(scratch, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(rows(results))
    os.replace(scratch, path)
