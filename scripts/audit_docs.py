#!/usr/bin/python3
"""The generated part of docs/audit.md: what the rows in results/audit/ say of the claims, by the code that the report uses.

  scripts/audit_docs.py keep RESULTS.csv...   takes the rows that the verdicts need into results/audit/ (replaces the same configs')
  scripts/audit_docs.py write                 writes the tables into docs/audit.md
  scripts/audit_docs.py check                 says whether they are what the rows say
"""
import argparse
import csv
import re
import sys
from pathlib import Path

from maskplots import claims, fig_audit, results, tables, verdict
from maskplots.schema import POINT_COLUMNS, RUN_COLUMNS

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "results" / "audit" / "results.csv"
PAGE = ROOT / "docs" / "audit.md"
NEEDED = re.compile(r"test_auc|seconds_per_tree|wire_(bytes|formula_bytes|own_formula_bytes|candidates)|transcript_.*|audit_.*|"
                    r"attack_(auc|balanced_accuracy)|(balanced_)?bit_match|bit_match_floor|delta_pp_.*|thm1_.*|eps_training_.*")
MACHINE = {"cpu": "", "threads": "", "compiler": "", "commit": ""}


def keep(paths):
    """Final values only: the tables judge nothing by rounds."""
    taken = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            taken += [{**row, **MACHINE} for row in csv.DictReader(file)
                      if NEEDED.fullmatch(row["metric"]) and not row["round"] and row["status"] == "ok"]
    fresh = {row["config"] for row in taken}
    if KEPT.exists():
        with open(KEPT, newline="", encoding="utf-8") as file:
            taken += [row for row in csv.DictReader(file) if row["config"] not in fresh]
    taken.sort(key=lambda row: (row["config"], row["run"], row["metric"]))
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with open(KEPT, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, RUN_COLUMNS + POINT_COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(taken)


def parts(kept=KEPT):
    """{name of the place in the page: its Markdown}"""
    rows = results.read_results(kept)
    judged = [[claim.id, finding.verdict, f"{finding.why}{'; ' + finding.note if finding.note else ''}"]
              for claim, finding in claims.judge_all(rows) if finding.verdict != verdict.NO_DATA]

    def eps(value):
        return "none" if value is None else f"{value:.3g}"
    told = [[method, party.upper(), f"{bound:.2f}", eps(wire), eps(stated), where.split(";")[0].removeprefix("at least, 95 %: ")]
            for method, party, bound, wire, stated, where in fig_audit.transcript_rows(rows)]
    return {"verdicts": tables.markdown(["claim", "verdict", "what the rows say"], judged),
            "transcripts": tables.markdown(["method", "data of", "at least", "claimed for all", "claimed for what is covered",
                                            "where"], told)}


def filled(page, new):
    for name, text in new.items():
        place = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        if not place.search(page):
            sys.exit(f"audit_docs.py: {PAGE.name} has no place for {name}: <!-- generated: {name} -->")
        page = place.sub(lambda found: found.group(1) + text + found.group(2), page)
    return page


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("keep", "write", "check"))
    parser.add_argument("results", nargs="*")
    options = parser.parse_args(argv)
    if options.action == "keep":
        keep(options.results)
    page = PAGE.read_text(encoding="utf-8")
    new = filled(page, parts())
    if options.action == "check" and new != page:
        sys.exit("audit_docs.py: docs/audit.md is not what results/audit/ says; scripts/audit_docs.py write")
    if options.action != "check":
        PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
