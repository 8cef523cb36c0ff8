"""A run's AUC over the rounds in three numbers: what the claims on convergence are judged by."""
from . import stats
from .results import Point

FIRST, HALF_WAY, ROUGHNESS = "test_auc_first", "test_auc_half_way", "test_auc_roughness"
NAMES = (FIRST, HALF_WAY, ROUGHNESS)


def described(values):
    """{name: number} of {round: AUC}. Roughness is the mean absolute second difference over the second half of the
    rounds: a steady rise is no disturbance."""
    rounds = sorted(values)
    late = rounds[len(rounds) // 2:]
    steps = [abs(values[a] - 2 * values[b] + values[c]) for a, b, c in zip(late, late[1:], late[2:])]
    found = {FIRST: values[rounds[0]], HALF_WAY: values[rounds[len(rounds) // 2]]}
    return {**found, ROUGHNESS: stats.mean(steps)} if steps else found


def summaries(results, **wanted):
    """Points of the three, one for each run: as kept, or worked out from the rounds."""
    points = [p for name in NAMES for p in results.finals(name, **wanted)]
    by_run = {}
    for p in results.curve("test_auc", **wanted):
        by_run.setdefault(id(p.run), (p.run, {}))[1][p.round] = p.value
    known = {id(p.run) for p in points}
    for key, (run, values) in by_run.items():
        if key not in known:
            points += [Point(run, None, name, value, "", "ok", "") for name, value in described(values).items()]
    return points
