"""What the report says beside figures and claims: counts, warnings, provenance."""
from . import paper, series
from .page import table, text


def _joined(values):
    return ", ".join(sorted({series.short(v) for v in values if v not in ("", None)})) or "–"


def summary_html(results):
    rows = []
    for config in results.configs:
        part = results.of_config(config)
        runs = part.runs
        bad = part.unusable()
        failed = {id(p.run) for p in bad if p.status == "error"}
        rows.append([config, len({r.run for r in runs}), _joined(r.method for r in runs),
                     _joined(r.dataset for r in runs), _joined(r.source for r in runs),
                     _joined(r.reading_name for r in runs),
                     len({r.repeat_key for r in runs}), len(failed), len(bad) - len(failed)])
    return ("".join(f'<p class="warning">{text(w)}</p>' for w in warnings(results))
            + table(["config", "runs", "methods", "datasets", "source", "readings", "repeats", "failed runs",
                     "skipped values"], rows, "One row for each config found."))


def warnings(results):
    runs = results.runs
    if {r.source for r in runs} == {"synthetic"}:
        yield "All results come from synthetic data: verdicts say how the methods compare there, not on the paper's data."
    elif "synthetic" in {r.source for r in runs}:
        names = sorted({r.dataset for r in runs if r.source == "synthetic"})
        yield f"Synthetic data stands for: {', '.join(names)}."
    if len({r.commit for r in runs}) > 1:
        yield f"The results come from several commits: {_joined(r.commit for r in runs)}."
    scopes = {}
    for run in runs:
        if run.reading:
            scopes.setdefault(run.reading_name, set()).add(run.scope)
    for reading, names in sorted(scopes.items()):
        if len(names) > 1:
            yield (f"The reading '{reading}' gives the methods budgets of different scopes "
                   f"({', '.join(sorted(names))}): it is not an equal comparison.")
    missing = [d for d in paper.DATASETS if d not in {r.dataset for r in runs}]
    if missing:
        yield f"Datasets of the paper without any result: {', '.join(missing)}."


def provenance_html(results, paths):
    runs = results.runs
    machine = [["commit", _joined(r.commit for r in runs)], ["cpu", _joined(r.cpu for r in runs)],
               ["threads", _joined(r.threads for r in runs)], ["compiler", _joined(r.compiler for r in runs)],
               ["backend", _joined(r.backend for r in runs)],
               ["noise", _joined(r.noise_source for r in runs)],
               ["results", ", ".join(map(str, paths))]]
    data = sorted({(r.dataset, r.source or "–", r.sha256 or "–") for r in runs})
    readings = sorted({(r.reading, r.method, r.scope or "–", r.privacy_unit or "–", r.composition or "–",
                        r.mu or "–") for r in runs if r.reading})
    return ("<h3>Made by</h3>" + table(["what", "value"], machine)
            + "<h3>Data</h3>" + table(["dataset", "source", "sha256"], data)
            + ("<h3>Readings of the budgets</h3>" + table(
                ["reading", "method", "scope", "unit", "composition", "mu"], readings)
               if readings else ""))
