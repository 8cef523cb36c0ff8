"""What has no usable value: expected things counted in one line each, the rest in a table."""
import math

from .page import folded, table, text


def is_expected_infinity(point):
    """An eps of what no mechanism covers: the accountant says so, with the reason."""
    return point.status == "ok" and point.value == math.inf and point.reason != ""


def is_blind_attack(point):
    """An attack that a method gives nothing to read."""
    return point.status == "skip" and point.metric == "attack"


EXPECTED = ((is_expected_infinity, "values of eps are infinite: no mechanism covers what is sent (docs/privacy.md, 6)"),
            (is_blind_attack, "attacks found nothing to read in what their method sends"))


def skipped_html(results):
    rest, parts = results.unusable(), ""
    for expected, words in EXPECTED:
        points = [p for p in rest if expected(p)]
        rest = [p for p in rest if not expected(p)]
        if points:
            parts += folded(f"{len(points)} {words}", _by_reason(points))
    if not rest:
        return parts + f"<p>{'Nothing else' if parts else 'Nothing'} was skipped and nothing failed.</p>"
    return _unexpected(rest) + parts


def _reason(point):
    return point.reason or ("the value is not a finite number" if point.status == "ok" else "no reason given")


def _counted(points, key):
    counts = {}
    for p in points:
        counts[key(p)] = counts.get(key(p), 0) + 1
    return [[*cells, count] for cells, count in sorted(counts.items())]


def _by_reason(points):
    rows = _counted(points, lambda p: (p.run.method, _reason(p)))
    return table(["method", "reason", "values"], rows, "By method and reason.")


def _unexpected(points):
    def key(p):
        status = "not finite" if p.status == "ok" else p.status
        return (p.run.config, p.run.method, p.run.dataset, p.run.attack or "–", p.metric or "all", status, _reason(p))
    failed = len({id(p.run) for p in points if p.status == "error"})
    lead = f"<p><strong>{text(failed)} run{'s' * (failed != 1)} failed.</strong></p>" if failed else ""
    return lead + table(["config", "method", "dataset", "attack", "metric", "status", "reason", "rows"], _counted(points, key),
                        "Rows of the results that hold no usable value.")
