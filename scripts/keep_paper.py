#!/usr/bin/python3
"""Takes what the repository keeps of a run of configs/paper.yaml, all of it from one folder of results.

  maskbench run configs/paper.yaml --data-dir DATA && maskbench report results/paper --figures
  scripts/keep_paper.py results/paper

Into results/paper/ go the runs and the numbers that the verdicts need, summary and comparisons, the figures with few colours,
the tables and the report page. The generated parts of the docs and the README's figure are made anew.
"""
import argparse
import gzip
import lzma
import shutil
import sys
from pathlib import Path

import audit_docs
import figures
from maskplots import results, style

KEPT = audit_docs.KEPT.parent


def missing_of(folder):
    """What a report with figures would have left there, and is not."""
    wanted = ["results.csv", "runs.csv", "summary.csv", "comparisons.csv", "report.html"]
    return [name for name in wanted if not (folder / name).is_file()]


def unfinished(folder):
    """How many runs are not ok: the rows would speak of less than the config asks for."""
    return sum(row["status"] not in ("ok", "skip") for row in audit_docs.rows_of(folder / "runs.csv"))


def keep_rows(folder):
    """These rows and no older ones."""
    for path in (audit_docs.KEPT, results.runs_beside(audit_docs.KEPT)):
        path.unlink(missing_ok=True)
    audit_docs.keep([folder / "results.csv"])
    for name in ("summary.csv", "comparisons.csv"):
        (KEPT / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes(), mtime=0))


def keep_figures(folder):
    target = KEPT / "figures"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in sorted(folder.glob("*.png")):
        style.copy_small(path, target / path.name)
    for path in sorted(folder.glob("*.md")):
        if not path.with_suffix(".png").is_file() and path.name != "README.md":  # a table that no figure shows
            shutil.copyfile(path, target / path.name)
    (target / "report.html.xz").write_bytes(lzma.compress((folder / "report.html").read_bytes(), preset=9))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the results, with report and figures")
    folder = parser.parse_args(argv).folder
    if missing := missing_of(folder):
        sys.exit(f"keep_paper.py: {folder} has no {', '.join(missing)}; maskbench report {folder} --figures")
    if count := unfinished(folder):
        sys.exit(f"keep_paper.py: {count} runs of {folder} are not finished; maskbench run configs/paper.yaml --out {folder} --retry")
    keep_rows(folder)
    keep_figures(folder)
    audit_docs.main(["write"])
    figures.main(["readme", "--results", str(folder), "--out", str(audit_docs.DOCS)])


if __name__ == "__main__":
    main()
