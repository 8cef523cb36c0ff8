#!/usr/bin/python3
"""The generated part of docs/audit.md: what the rows in results/audit/ say of the claims, by the code that the report uses.

  scripts/audit_docs.py keep RESULTS.csv...   takes the rows that the verdicts need into results/audit/ (replaces the same configs')
  scripts/audit_docs.py write                 writes the tables into docs/audit.md
  scripts/audit_docs.py check                 says whether they are what the rows say
"""
import argparse
import csv
import gzip
import io
import re
import sys
from pathlib import Path

from maskplots import claims, curves, fig_audit, results, side_by_side, tables, verdict
from maskplots.schema import POINT_COLUMNS, RUN_COLUMNS

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "results" / "audit" / "results.csv.gz"
PAGE = ROOT / "docs" / "audit.md"
NEEDED = re.compile(r"test_auc|seconds_per_tree|wire_(bytes|formula_bytes|own_formula_bytes|candidates)|transcript_.*|audit_.*|"
                    r"attack_(auc|balanced_accuracy)|(balanced_)?bit_match|bit_match_floor|delta_pp_.*|thm1_.*|eps_training_.*")
MACHINE = {"cpu": "", "threads": "", "compiler": "", "commit": ""}


def taken_from(path):
    """Final values; of the AUC over the rounds the three numbers that claims are judged by. A run that two configs share
    counts for the first."""
    rows, rounds, seen = [], {}, set()
    with results.opened(path) as file:
        for row in csv.DictReader(file):
            if row["status"] != "ok":
                continue
            row = {**row, **MACHINE}
            if row["round"] and row["metric"] == "test_auc":
                rounds.setdefault((row["config"], row["run"]), (row, {}))[1][int(row["round"])] = float(row["value"])
            key = (row["config"], row["run"], row["metric"])
            if not row["round"] and key not in seen and NEEDED.fullmatch(row["metric"]):
                seen.add(key)
                rows.append(row)
    for row, values in rounds.values():
        rows += [{**row, "round": "", "metric": name, "value": f"{value:.10g}"}
                 for name, value in curves.described(values).items()]
    return rows


def keep(paths):
    taken = [row for path in paths for row in taken_from(path)]
    fresh = {row["config"] for row in taken}
    if KEPT.exists():
        with results.opened(KEPT) as file:
            taken += [row for row in csv.DictReader(file) if row["config"] not in fresh]
    taken.sort(key=lambda row: (row["config"], row["run"], row["metric"]))
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    out = csv.DictWriter(text, RUN_COLUMNS + POINT_COLUMNS, lineterminator="\n")
    out.writeheader()
    out.writerows(taken)
    KEPT.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))  # the same rows, the same bytes


def said(finding):
    if finding.verdict == verdict.NO_DATA:
        return "no rows are kept here"
    return f"{finding.why}{'; ' + finding.note if finding.note else ''}"


def parts(kept=KEPT):
    """{name of the place in the page: its Markdown}"""
    rows = results.read_results(kept)
    judged = [[f"{claim.id}: {claim.text}", finding.verdict, said(finding),
               ", ".join(config for config in claim.configs if config in rows.configs) or "-"]
              for claim, finding in claims.judge_all(rows)]

    def eps(value):
        return "none" if value is None else f"{value:.3g}"
    told = [[method, party.upper(), f"{bound:.2f}", eps(wire), eps(stated), where.split(";")[0].removeprefix("at least, 95 %: ")]
            for method, party, bound, wire, stated, where in fig_audit.transcript_rows(rows)]
    return {"verdicts": tables.markdown(["claim", "verdict", "what the rows say", "config"], judged),
            "side by side": side_by_side.markdown(rows),
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
