#!/usr/bin/python3
"""Figures, tables, summary.csv and comparisons.csv from results.

  scripts/figures.py all                      every config found in results/
  scripts/figures.py fig-utility              one config
  scripts/figures.py my-sweep --results DIR   any config gets a figure of its first swept number
  scripts/figures.py my-sweep --metric test_logloss --x train.max_depth --facet privacy.W
                                              any metric over any key, a panel for each value of another
  scripts/figures.py readme --out docs        the README's figure, fig-utility.png
"""
import argparse
import sys
from pathlib import Path


def load_plots():
    try:
        from maskplots import catalog, fig_auto, fig_readme, results, sink, summary
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "numpy", "scipy"):
            raise
        sys.exit(f"figures.py: {error.name} is missing for {sys.executable}; "
                 "apt-get install python3-matplotlib python3-scipy, then use /usr/bin/python3")
    return argparse.Namespace(**{module.__name__.split(".")[-1]: module
                                 for module in (catalog, fig_auto, fig_readme, results, sink, summary)})


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="a config's name, all, or readme")
    parser.add_argument("--results", default="results", help="folder with results.csv or with folders of them")
    parser.add_argument("--out", help="where the files go (default: beside each results.csv)")
    parser.add_argument("--metric", metavar="M", help="what is drawn, e.g. test_logloss; see maskbench show --metrics")
    parser.add_argument("--x", metavar="KEY", help="over what: a column such as eps_ap, or a key of the config")
    parser.add_argument("--facet", metavar="KEY", help="a panel for each of its values, e.g. attack or method")
    return parser.parse_args(argv)


def draw(options):
    plots = load_plots()
    tables = [(path.parent, plots.results.read_results(path)) for path in plots.results.find_results(options.results)]
    if options.out or options.name == "readme":
        folder = Path(options.out or options.results)
        tables = [(folder, plots.results.merged(table for _, table in tables))]
    if options.name == "readme":
        return plots.fig_readme.write(tables[0][1], tables[0][0])
    known = {config for _, table in tables for config in table.configs}
    if options.name != "all" and options.name not in known:
        raise plots.results.BadResults(f"no results of '{options.name}' under {options.results}; "
                                       f"there are: {', '.join(sorted(known)) or 'none'}")
    return [path for folder, table in tables for path in draw_table(options, plots, folder, table)]


def draw_table(options, plots, folder, table):
    """The files made of one results.csv."""
    wanted = sorted((c for c in table.configs if options.name in ("all", c)), key=plots.catalog.order)
    if not wanted:
        return []
    out = plots.sink.Sink(folder)
    if options.metric or options.x or options.facet:
        for config in wanted:
            plots.fig_auto.asked(config, table.of_config(config), out, options.metric, options.x, options.facet)
        return out.written
    for config in wanted:
        plots.catalog.build(config, table, out)
    folder.mkdir(parents=True, exist_ok=True)
    return [*out.written, *plots.summary.write(table, folder)]


def main(argv=None):
    options = arguments(argv)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from maskplots import terminal
    from maskplots.results import BadResults
    try:
        written = draw(options)
    except BadResults as error:
        sys.exit(f"figures.py: {error}")
    except OSError as error:
        sys.exit(terminal.one_line(f"figures.py: {error.filename}: {error.strerror}"))
    folders = sorted({str(path.parent) for path in written})
    print(terminal.one_line(f"figures.py: {len(written)} files in {', '.join(folders)}"))


if __name__ == "__main__":
    main()
