#!/usr/bin/python3
"""Figures, tables, summary.csv and comparisons.csv from results.

  scripts/figures.py all                      every config found in results/
  scripts/figures.py fig-utility              one config
  scripts/figures.py my-sweep --results DIR   any config gets a figure of its first swept number
"""
import argparse
import sys
from pathlib import Path


def load_plots():
    try:
        from maskplots import catalog, results, sink, summary
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "numpy", "scipy"):
            raise
        sys.exit(f"figures.py: {error.name} is missing for {sys.executable}; "
                 "apt-get install python3-matplotlib python3-scipy, then use /usr/bin/python3")
    return catalog, results, sink, summary


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="a config's name, or all")
    parser.add_argument("--results", default="results", help="folder with results.csv or with folders of them")
    parser.add_argument("--out", help="where the files go (default: beside each results.csv)")
    return parser.parse_args(argv)


def draw(options):
    catalog, results, sink, summary = load_plots()
    written, known = [], set()
    tables = [(path.parent, results.read_results(path)) for path in results.find_results(options.results)]
    if options.out:
        tables = [(Path(options.out), results.merged(table for _, table in tables))]
    for folder, table in tables:
        known.update(table.configs)
        wanted = [c for c in table.configs if options.name in ("all", c)]
        if not wanted:
            continue
        out = sink.Sink(folder)
        for config in sorted(wanted, key=catalog.order):
            catalog.build(config, table, out)
        folder.mkdir(parents=True, exist_ok=True)
        written += [*out.written, *summary.write(table, folder)]
    if options.name != "all" and options.name not in known:
        raise results.BadResults(f"no results of '{options.name}' under {options.results}; "
                                 f"there are: {', '.join(sorted(known)) or 'none'}")
    return written


def main(argv=None):
    options = arguments(argv)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from maskplots.results import BadResults
    try:
        written = draw(options)
    except BadResults as error:
        sys.exit(f"figures.py: {error}")
    except OSError as error:
        sys.exit(f"figures.py: {error.filename}: {error.strerror}")
    folders = sorted({str(path.parent) for path in written})
    print(f"figures.py: {len(written)} files in {', '.join(folders)}")


if __name__ == "__main__":
    main()
