#!/usr/bin/python3
"""Writes what maskbench itself knows of its results and others need without it at hand: scripts/maskplots/schema.json for the
figures, and the tables of docs/results.md for people.

  scripts/write_schema.py    after a change of a column, a metric, a key or its default
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from maskplots import tables

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "scripts" / "maskplots" / "schema.json"
PAGE = ROOT / "docs" / "results.md"
PROGRAM = os.environ.get("MASKBENCH_BINARY") or str(ROOT / "build" / "maskbench")


def asked(program, *words):
    return json.loads(subprocess.run([program, *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def schema(program):
    known = asked(program, "list")
    return {"columns": known["columns"], "defaults": {key["name"]: key["default"] for key in known["keys"]},
            "kinds": {key["name"]: kind(key) for key in known["keys"]}}


def kind(key):
    """number, flag or text: what the values of a key are, by what it allows."""
    if key["allowed"] == "true or false":
        return "flag"
    choices = key["allowed"].removeprefix("one of ").split(", ")
    numeric = key["allowed"].startswith(("a number", "a whole number")) or all(c.isdigit() for c in choices)
    return "number" if numeric else "text"


def page_parts(program):
    """{name of the place in docs/results.md: its Markdown}"""
    known = asked(program, "show", "--metrics")
    parts = {}
    for table in ("runs.csv", "results.csv"):
        rows = [[f"`{c['name']}`", c["meaning"], c["unit"], c["from"]] for c in known["columns"] if c["table"] == table]
        parts[f"columns of {table}"] = tables.markdown(["column", "meaning", "unit", "computed by"], rows)
    parts["metrics"] = tables.markdown(
        ["metric", "meaning", "unit", "for each", "columns it fills", "computed by"],
        [[f"`{m['name']}`", m["meaning"], m["unit"], m["each"], ", ".join(m["by"]), m["from"]] for m in known["metrics"]])
    return parts


def page(program):
    return tables.filled(PAGE.read_text(encoding="utf-8"), page_parts(program))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=PROGRAM, help="maskbench [$MASKBENCH_BINARY, else build/maskbench]")
    options = parser.parse_args(argv)
    if not os.access(options.program, os.X_OK):
        sys.exit(f"write_schema.py: {options.program} is not there; build it first (scripts/build.sh maskbench)")
    FILE.write_text(json.dumps(schema(options.program), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(options.program), encoding="utf-8")


if __name__ == "__main__":
    main()
