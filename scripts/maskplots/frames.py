"""Results as pandas tables: see load()."""
from pathlib import Path
from typing import NamedTuple

import pandas

from . import results
from .schema import KINDS, NUMBER_COLUMNS, RUN_COLUMNS

WHOLE = ("repeat", "threads", "seed", "seed_partition", "seed_split", "seed_noise", "W", "round", "queries")
REAL = ("eps_ap", "delta_ap", "eps_pp", "delta", "value")
TEXT = ("run", "reason", "sha256")
BOTH = [name for name in RUN_COLUMNS if name in NUMBER_COLUMNS and name != "run"]  # in the joined table: run_NAME
PROVENANCE = ("commit", "cpu", "threads", "compiler", "backend", "source", "sha256", "noise_source")


class Tables(NamedTuple):
    runs: pandas.DataFrame
    numbers: pandas.DataFrame


def typed(column):
    """The texts of a column as what they are; an empty one is missing."""
    name, column = column.name, column.where(column != "")
    if name in WHOLE:
        return pandas.to_numeric(column).astype("Int64")
    if name in REAL or KINDS.get(name) == "number":
        return pandas.to_numeric(column)
    if KINDS.get(name) == "flag":
        return column.map({"true": True, "false": False}).astype("boolean")
    return column.astype("string" if name in TEXT else "category")


def read(path, columns):
    try:
        with results.opened(path) as file:
            return pandas.read_csv(file, dtype=str, keep_default_na=False, usecols=columns)[columns].apply(typed)
    except (ValueError, pandas.errors.ParserError) as error:
        raise results.BadResults(f"{path}: {' '.join(str(error).split())}; {results.KILLED}")


def checked(path, known):
    """Both tables of a folder whose runs are known to be sound."""
    numbers = read(path, NUMBER_COLUMNS)
    strangers = numbers.run[~numbers.run.isin(list(known))]
    if len(strangers):
        raise results.BadResults(f"{path}: run '{strangers.iloc[0]}' is not in runs.csv; {results.KILLED}")
    return read(results.runs_beside(path), RUN_COLUMNS), numbers


def texts(column):
    return sorted(map(str, column.dropna().unique()))


def scale(runs):
    """How large the runs are: data sets with their source, rows asked for (0: all), rounds, repeats, readings."""
    sources = runs[["dataset", "source"]].astype(str).drop_duplicates()
    return {"datasets": {dataset: texts(part["source"]) for dataset, part in sources.groupby("dataset")},
            "rows": sorted(map(int, runs["data.rows"].dropna().unique())),
            "rounds": sorted(map(int, runs["train.rounds"].dropna().unique())),
            "repeats": int(runs["repeat"].nunique()), "readings": texts(runs["reading"]), "runs": int(runs["run"].nunique())}


def load(directory):
    """runs and numbers of a results folder, or of a folder of them, as typed tables; see docs/results.md.

    numbers is joined with its runs: a run of two configs has its numbers in both. What both tables call by one name is the
    number's, the run's is run_NAME. Both have .attrs: scale, provenance, folders. BadResults says what is wrong."""
    paths = results.find_results(Path(directory))
    known = {path: results.read_runs(path) for path in paths}
    results.refuse_mixed_data((run for part in known.values() for same in part.values() for run in same), directory)
    parts = [checked(path, known[path]) for path in paths]
    runs, numbers = (pandas.concat(tables, ignore_index=True) for tables in zip(*parts))
    runs = runs.drop_duplicates(["config", "run", "repeat"], ignore_index=True)
    numbers = numbers.drop_duplicates([n for n in NUMBER_COLUMNS if n not in ("value", "unit", "reason")], ignore_index=True)
    joined = numbers.merge(runs.rename(columns={name: f"run_{name}" for name in BOTH}), on="run")
    about = {"scale": scale(runs), "provenance": {name: texts(runs[name]) for name in PROVENANCE},
             "folders": [str(path.parent) for path in paths]}
    for table in (runs, joined):
        for name in table.columns[table.dtypes == object]:  # categories of several folders
            table[name] = table[name].astype("category")
        table.attrs.update(about)
    return Tables(runs, joined)
