"""summary.csv: mean, standard deviation and n over repeats of each cell, which is a setting and a number of it.
comparisons.csv: a cell against every other method's with the same setting, paired by seeds and repeat: the mean difference
with Student's 95 % interval, the paired t and the exact Wilcoxon signed-rank test, both two-sided, and the t test's p by
Holm over all comparisons of that config and metric. Two pairs at least. Its two columns of cells are numbers of summary.csv."""
import csv

from . import stats, style, whole_file

# What methods are compared by.
COMPARED = ("test_auc", "test_rmse", "seconds_per_tree", "attack_auc", "attack_balanced_accuracy", "balanced_bit_match")
# What is only described. The other metrics are parts of these, efforts, or what a run was given.
DESCRIBED = ("test_logloss", "wire_bytes", "wire_formula_bytes", "peak_rss", "eps", "eps_training", "attack_accuracy",
             "attack_floor_accuracy", "bit_match", "bit_match_floor", "true_argmax_share", "gain_lost", "thm1_deviation_share",
             "thm1_bound", "delta_pp_printed", "delta_pp_tight", "query_bit_auc", "audit_eps", "audit_claim", "transcript_eps",
             "transcript_claim")
LEAST_PAIRS = 2  # below it a difference says nothing that the two means do not
SETTING = "config dataset source method mode backend eps_ap delta_ap eps_pp delta_pp reading W attack".split()
ABOUT = ("party", "kind", "view", "queries")
SHARED_FACETS = ("reading_name", "eps_ap", "delta_ap", "eps_pp", "delta_pp", "device")
SHARED_PARAMS = ("data.", "train.", "attack.")  # the others belong to one method or its budget


def _text(value, digits=6):
    if value is None:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


class Cell:
    def __init__(self, point):
        self.run, self.metric, self.unit = point.run, point.metric, point.unit
        self.about = tuple(getattr(point.about, name) for name in ABOUT)
        self.values = {}  # repeat key -> value
        self.runs = set()

    def add(self, point):
        self.values[point.run.repeat_key] = point.value
        self.runs.add(point.run.run)

    def setting(self, keys):
        return [_text(getattr(self.run, name)) for name in SETTING] + [self.run.param(key, "") for key in keys]

    def described(self):
        values = list(self.values.values())
        spread = _text(stats.deviation(values), 4) if len(values) > 1 else ""
        return [_text(stats.mean(values)), spread, str(len(values))]

    def comparable(self, other):
        """Same setting wherever both have one; a method without a budget goes with every budget."""
        if self.about != other.about:
            return False
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
        """The comparison of what both have been repeated with, or None."""
        shared = sorted(self.values.keys() & reference.values.keys(), key=repr)
        return Comparison(self, reference, shared) if shared else None


class Comparison:
    def __init__(self, cell, reference, shared):
        self.cell, self.reference, self.pairs = cell, reference, len(shared)
        self.means = [stats.mean([c.values[key] for key in shared]) for c in (cell, reference)]
        differences = [cell.values[key] - reference.values[key] for key in shared]
        self.difference = stats.mean(differences)
        self.low, self.high = stats.interval(differences) or (None, None)
        self.p_t, self.p_w = stats.paired_t(differences), stats.wilcoxon(differences)
        self.p_holm = None

    def texts(self):
        numbers = [_text(x, 6) for x in (self.difference, self.low, self.high)]
        return [*numbers, str(self.pairs), *(_text(p, 6) for p in (self.p_t, self.p_w, self.p_holm))]


def correct(family):
    """Holm over comparisons that are looked at together."""
    for test, p in zip(family, stats.holm([t.p_t for t in family])):
        test.p_holm = p


def cells(results, metrics=COMPARED + DESCRIBED):
    found = {}
    for metric in metrics:
        for p in results.finals(metric):
            key = (*(getattr(p.run, name) for name in SETTING), p.run.params, metric,
                   *(getattr(p.about, name) for name in ABOUT))
            found.setdefault(key, Cell(p)).add(p)
    return list(found.values())


def place(cell):
    """Rows stand in the order of methods; of two methods the later one is compared with the earlier."""
    return (cell.run.config, cell.run.dataset, style.method_order(cell.run.method), cell.setting([]), cell.run.params,
            cell.metric, cell.about)


def is_told(cell):
    """Of eps the claim; in the other views it is the same or infinite."""
    return cell.metric != "eps" or cell.about[ABOUT.index("view")] == "stated"


def peers(every):
    """Cells that may be compared: of one config, data set, attack and metric."""
    found = {}
    for cell in every:
        run = cell.run
        found.setdefault((run.config, run.dataset, run.source, run.attack, cell.metric), []).append(cell)
    return found


def compare(every):
    """All comparisons of two methods, corrected within a config and metric."""
    families = {}
    for (config, *_, metric), group in peers(c for c in every if c.metric in COMPARED).items():
        for i, cell in enumerate(group):
            for other in group[:i]:
                if other.run.method == cell.run.method or not cell.comparable(other):
                    continue
                test = cell.against(other)
                if test and test.pairs >= LEAST_PAIRS:
                    families.setdefault((config, metric), []).append(test)
    for family in families.values():
        correct(family)
    return [test for family in families.values() for test in family]


def tables(results):
    """(columns, rows) of summary.csv and of comparisons.csv"""
    every = sorted((cell for cell in cells(results) if is_told(cell)), key=place)
    number = {id(cell): str(i) for i, cell in enumerate(every, 1)}
    keys = sorted({key for cell in every for key, _ in cell.run.params})  # where empty, at its default
    summary = [[number[id(c)], *c.setting(keys), c.metric, *c.about, *c.described(), c.unit] for c in every]
    compared = [[t.cell.run.config, t.cell.run.dataset, t.cell.metric, t.cell.run.method, t.reference.run.method,
                 number[id(t.cell)], number[id(t.reference)], *t.texts()] for t in compare(every)]
    return ((["cell", *SETTING, *keys, "metric", *ABOUT, "mean", "sd", "n", "unit"], summary),
            ("config dataset metric method reference cell reference_cell mean_difference ci_low ci_high pairs p_paired_t "
             "p_wilcoxon p_holm".split(), compared))


def write(results, folder):
    """summary.csv and comparisons.csv of a folder, each whole or not at all: written beside and moved into place."""
    written = []
    for name, (columns, rows) in zip(("summary.csv", "comparisons.csv"), tables(results)):
        with whole_file.written(folder / name) as scratch, open(scratch, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(columns)
            out.writerows(rows)
        written.append(folder / name)
    return written
