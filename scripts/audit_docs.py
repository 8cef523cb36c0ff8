#!/usr/bin/python3
"""The generated parts of the docs: what the rows in results/paper/ say of the claims, by the code that the report uses.

  scripts/audit_docs.py keep RESULTS.csv...   takes the rows that the verdicts need into results/paper/ (replaces the same runs, keeps the others)
  scripts/audit_docs.py write                 writes the tables into the pages
  scripts/audit_docs.py check                 says whether they are what the rows say
"""
import argparse
import csv
import gzip
import io
import re
import sys
from pathlib import Path

from maskplots import claims, curves, fig_audit, label_table, measured, results, side_by_side, tables, verdict
from maskplots.schema import NUMBER_COLUMNS, RUN_COLUMNS

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "results" / "paper" / "results.csv.gz"  # runs.csv.gz lies beside it
DOCS = ROOT / "docs"
PAGES = {"audit.md": ("verdicts", "ranking", "side by side", "label attacks", "trials", "transcripts"),
         "privacy.md": ("measured",), "reproduce.md": ("ranking",)}
NEEDED = re.compile(r"test_auc|seconds_per_tree|wire_(bytes|formula_bytes|own_formula_bytes|candidates)|transcript_.*|audit_.*|"
                    r"attack_(auc|balanced_accuracy)|(balanced_)?bit_match|bit_match_floor|delta_pp_.*|thm1_.*|eps_training")
# What a run came to, not what was asked for.
OUTCOME = ("run", "source", "backend", "noise_source", "sha256", "commit", "cpu", "threads", "compiler", "status", "reason")


def rows_of(path):
    with results.opened(path) as file:
        return list(csv.DictReader(file))


def taken_from(path):
    """Finished runs, and of their numbers the final ones; of the AUC over the rounds the three that claims are judged by."""
    runs = [row for row in rows_of(results.runs_beside(path)) if row["status"] == "ok"]
    looked_into = {row["run"] for row in runs if measured.is_of(row["config"], row["dataset"])}
    numbers, rounds = [], {}
    for row in rows_of(path):
        if row["status"] != "ok":
            continue
        if row["round"] and row["metric"] == "test_auc":
            rounds.setdefault(row["run"], (row, {}))[1][int(row["round"])] = float(row["value"])
        if not row["round"] and (NEEDED.fullmatch(row["metric"]) or
                                 row["run"] in looked_into and row["metric"] in measured.METRICS):
            numbers.append(row)
    for row, values in rounds.values():
        numbers += [{**row, "round": "", "metric": name, "value": f"{value:.10g}"}
                    for name, value in curves.described(values).items()]
    return runs, numbers


def write_packed(path, columns, rows):
    text = io.StringIO()
    out = csv.DictWriter(text, columns, lineterminator="\n")
    out.writeheader()
    out.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))  # the same rows, the same bytes


def asked(row):
    """Config, repeat and settings. A run's name follows its data too: on a newer file the same is asked for under another name."""
    return tuple(row.get(name, "") for name in RUN_COLUMNS if name not in OUTCOME)


def keep(paths):
    """The runs given anew replace those that asked for the same; all others stay."""
    taken = [taken_from(Path(path)) for path in paths]
    runs = [row for part, _ in taken for row in part]
    numbers = {row["run"]: [] for row in runs}
    fresh = {asked(row) for row in runs}
    if KEPT.exists():
        runs += [row for row in rows_of(results.runs_beside(KEPT)) if asked(row) not in fresh]
        taken.append(([], rows_of(KEPT)))
    for _, part in taken:  # the first that has a run has all of it
        known = {run for run, own in numbers.items() if own}
        for row in part:
            if row["run"] not in known:
                numbers.setdefault(row["run"], []).append(row)
    runs = {(row["config"], row["run"]): row for row in reversed(runs)}  # a line once, the first that came
    wanted = {run for _, run in runs}
    write_packed(results.runs_beside(KEPT), RUN_COLUMNS, [runs[key] for key in sorted(runs)])
    write_packed(KEPT, NUMBER_COLUMNS, sorted((row for run in wanted for row in numbers.get(run, ())),
                                              key=lambda row: [row[name] for name in NUMBER_COLUMNS]))


def said(finding):
    if finding.verdict == verdict.NO_DATA:
        return "no rows are kept here"
    return f"{finding.why}{'; ' + finding.note if finding.note else ''}"


def parts(kept=None):
    """{name of the place in the page: its Markdown}"""
    rows = results.read_results(kept or KEPT)
    judged = [[f"{claim.id}: {claim.text}", finding.verdict, said(finding),
               ", ".join(config for config in claim.configs if config in rows.configs) or "-"]
              for claim, finding in claims.judge_all(rows)]

    def eps(value):
        return "none" if value is None else f"{value:.3g}"
    told = [[method, party, f"{bound:.2f}", eps(wire), eps(stated), where.split(";")[0].removeprefix("at least, 95 %: ")]
            for method, party, bound, wire, stated, where in fig_audit.transcript_rows(rows)]
    return {"verdicts": tables.markdown(["claim", "verdict", "what the rows say", "config"], judged),
            "ranking": side_by_side.ranking(rows),
            "side by side": side_by_side.markdown(rows),
            "label attacks": label_table.markdown(rows),
            "measured": measured.markdown(rows),
            "trials": fig_audit.trials(rows),
            "transcripts": tables.markdown(["method", "data of", "at least", "claimed for all", "claimed for what is covered",
                                            "where"], told)}


def pages():
    """{path: (what it says, what the rows say)}"""
    made = parts()
    old = {name: (DOCS / name).read_text(encoding="utf-8") for name in PAGES}
    return {DOCS / name: (old[name], tables.filled(old[name], {part: made[part] for part in wanted}))
            for name, wanted in PAGES.items()}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("keep", "write", "check"))
    parser.add_argument("results", nargs="*")
    options = parser.parse_args(argv)
    if options.action == "keep":
        keep(options.results)
    for path, (old, new) in pages().items():
        if options.action == "check" and new != old:
            sys.exit(f"audit_docs.py: {path.name} is not what results/paper/ says; scripts/audit_docs.py write")
        if options.action != "check":
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
