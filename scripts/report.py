#!/usr/bin/python3
"""One self-contained HTML page from results: figures, tables, verdicts on the paper's claims,
provenance, and what was skipped.

  scripts/report.py results/paper                       writes results/paper/report.html
  scripts/report.py results/fig-utility results/gbdt --out report.html
"""
import argparse
import sys
import tempfile
from pathlib import Path


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dirs", nargs="+", metavar="DIR", help="folder with results.csv or with folders of them")
    parser.add_argument("--out", help="the page (default: report.html in the first DIR)")
    parser.add_argument("--title", default="maskbench: MaskedXGBoost and its baselines, measured")
    return parser.parse_args(argv)


def make_page(options):
    from maskplots import catalog, claims, page, report_data, results, sink, skipped
    paths = list(dict.fromkeys(p for d in options.dirs for p in results.find_results(d)))
    table = results.merged(map(results.read_results, paths))
    with tempfile.TemporaryDirectory() as scratch:
        groups = []
        for config in sorted(table.configs, key=catalog.order):
            out = sink.Sink(Path(scratch) / config, for_page=True)
            catalog.build(config, table, out)
            groups.append((config, out))
        return page.render(options.title, report_data.summary_html(table), claims.judge_all(table), groups,
                           skipped.skipped_html(table), report_data.provenance_html(table, paths))


def main(argv=None):
    options = arguments(argv)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from maskplots import terminal, whole_file
    from maskplots.results import BadResults
    first = Path(options.dirs[0])
    target = Path(options.out) if options.out else (first if first.is_dir() else first.parent) / "report.html"
    try:
        content = make_page(options)
        if options.out:  # the user's own choice, a link or a device too
            target.write_text(content, encoding="utf-8")
        else:
            whole_file.write_text(target, content)
    except ModuleNotFoundError as error:
        sys.exit(f"report.py: {error.name} is missing for {sys.executable}; "
                 "apt-get install python3-matplotlib python3-scipy, then use /usr/bin/python3")
    except BadResults as error:
        sys.exit(f"report.py: {error}")
    except OSError as error:
        sys.exit(terminal.one_line(f"report.py: {error.filename}: {error.strerror}"))
    print(terminal.one_line(f"report.py: {target} ({target.stat().st_size / 1e6:.1f} MB)"))


if __name__ == "__main__":
    main()
