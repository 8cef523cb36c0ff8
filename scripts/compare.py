#!/usr/bin/python3
"""Two methods of one results folder, or two results folders, compared by a metric.

  scripts/compare.py masked xgb-ldp --metric test_auc --results results/paper
  scripts/compare.py results/before results/after --metric seconds_per_tree

A line for each setting that both have: the means of A and B over the repeats they share, the mean of the paired differences
A - B with Student's 95 % interval, the p of the paired t test, and that p by Holm over all lines.
"""
import argparse
import itertools
import signal
import sys
import textwrap
from pathlib import Path

WIDTH = 80
LABEL = 16  # of the first column; a longer one has a line of its own


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A", help="a method, or a results folder")
    parser.add_argument("b", metavar="B", help="another")
    parser.add_argument("--metric", default="test_auc", help="what of the results [test_auc]")
    parser.add_argument("--results", default="results", help="two methods: the folder that has both [results]")
    return parser.parse_args(argv)


def read(directory):
    from maskplots import results
    return results.merged(map(results.read_results, results.find_results(directory)))


def known_metric(metric, *tables):
    from maskplots.results import BadResults
    known = sorted({name for table in tables for name in table.metrics() if table.finals(name)})
    if metric not in known:
        raise BadResults(f"no finite value of '{metric}' for a whole run there; there are: {', '.join(known)}")


def of_methods(table, options):
    """Comparisons of the two methods wherever one's setting fits the other's."""
    from maskplots import summary
    from maskplots.results import BadResults
    known_metric(options.metric, table)
    methods = sorted({run.method for run in table.runs})
    for method in (options.a, options.b):
        if method not in methods:
            raise BadResults(f"'{method}' is neither a results folder nor a method in {options.results}; "
                             f"there are: {', '.join(methods)}")
    found = []
    for group in summary.peers(summary.cells(table, [options.metric])).values():
        ours, theirs = ([cell for cell in group if cell.run.method == method] for method in (options.a, options.b))
        found += [cell.against(other) for cell in ours for other in theirs if cell.comparable(other)]
    return once(test for test in found if test)


def once(tests):
    """The same runs for two configs are one comparison."""
    return list({(frozenset(t.cell.runs), frozenset(t.reference.runs), t.cell.about): t for t in tests}.values())


def of_folders(one, two, options):
    """Comparisons of every cell with the same cell of the other folder. Where and how it computed is no setting."""
    from maskplots import summary
    known_metric(options.metric, one, two)

    def setting(cell):
        return (*(getattr(cell.run, name) for name in summary.SETTING if name not in ("source", "backend")),
                cell.run.params, cell.about)
    theirs = {setting(cell): cell for cell in summary.cells(two, [options.metric])}
    found = [cell.against(theirs[setting(cell)]) for cell in summary.cells(one, [options.metric]) if setting(cell) in theirs]
    return once(test for test in found if test)


def varying(tests):
    """What tells the lines apart, as [(name, function of a comparison)]."""
    from maskplots import schema, series, summary
    from maskplots.results import KEYS
    runs = [test.cell.run for test in tests] + [test.reference.run for test in tests]
    names = [*summary.SETTING, *sorted({key for run in runs for key, _ in run.params})]
    names = [name for name in names if name not in ("config", "dataset", "source", "backend", "method")]

    def value(run, name):
        found = run.param(name, "") if name in KEYS else getattr(run, name)
        return series.short(found) if found not in (None, "") else ""

    def both(test, name):  # a method that has no such key goes with every value
        ours, theirs = value(test.cell.run, name), value(test.reference.run, name)
        if ours and theirs and ours != theirs:
            return f"{ours}/{theirs}"
        return ours or theirs or schema.DEFAULTS.get(name, "")
    return [(name, lambda test, name=name: both(test, name)) for name in names
            if len({both(test, name) for test in tests}) > 1]


def heading(test):
    run, other = test.cell.run, test.reference.run
    names = [run.config, run.dataset]
    if run.method == other.method:
        names.append(run.method)
    return " ".join(filter(None, names))


def label(test, told_by):
    from maskplots import series
    parts = [f"{series.plain_name(name).split('.')[-1]} {value(test)}" for name, value in told_by if value(test)]
    return ", ".join([*parts, *filter(None, test.cell.about)])


def number(value, signed=False):
    if value is None:
        return "-"
    digits = 4 if abs(value) < 10 else 2 if abs(value) < 1000 else None
    text = f"{value:{'+' if signed else ''}.{digits}f}" if digits else f"{value:{'+' if signed else ''}.3g}"
    return text


def p_text(p):
    return "-" if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}".lstrip("0") if p < 1 else "1"


def line(first, cells):
    widths = (9, 9, 9, 18, 4, 7, 7)
    row = f"{first:<{LABEL}}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths))
    return row.rstrip()


def printed(tests):
    from maskplots import style
    tests.sort(key=lambda t: (t.cell.run.config, t.cell.run.dataset, style.method_order(t.cell.run.method)))
    out = [line("", ["A", "B", "A - B", "95 % interval", "n", "p", "Holm"])]
    for name, group in itertools.groupby(tests, heading):
        group = list(group)
        told_by = varying(group)
        out.append(name)
        for test in group:
            first = "  " + label(test, told_by)
            if len(first) > LABEL:
                out += textwrap.wrap(first, WIDTH, subsequent_indent="    ")
                first = ""
            interval = "-" if test.low is None else f"{number(test.low, True)} {number(test.high, True)}"
            out.append(line(first, [*map(number, test.means), number(test.difference, True), interval, str(test.pairs),
                                    p_text(test.p_t), p_text(test.p_holm)]))
    return out


def compared(options):
    from maskplots import summary
    from maskplots.results import BadResults
    folders = [Path(name) for name in (options.a, options.b)]
    if all(folder.is_dir() for folder in folders):
        tests = of_folders(*map(read, folders), options)
    else:
        tests = of_methods(read(options.results), options)
    if not tests:
        raise BadResults(f"no setting with shared seeds has {options.metric} of both")
    summary.correct(tests)
    return [f"{options.metric}; p of the paired t test", f"A: {options.a}", f"B: {options.b}", *printed(tests)]


def main(argv=None):
    options = arguments(argv)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from maskplots import terminal
    from maskplots.results import BadResults
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader may have seen enough
    try:
        print("\n".join(map(terminal.one_line, compared(options))))
    except ModuleNotFoundError as error:
        sys.exit(f"compare.py: {error.name} is missing for {sys.executable}; "
                 "apt-get install python3-matplotlib python3-scipy, then use /usr/bin/python3")
    except BadResults as error:
        sys.exit(f"compare.py: {error}")


if __name__ == "__main__":
    main()
