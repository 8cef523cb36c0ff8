"""Mean, standard deviation and two paired tests, exact for small samples."""
import math
from statistics import fmean as mean, stdev

from scipy.special import stdtr, stdtrit
from scipy.stats import rankdata


def deviation(values):
    """Sample standard deviation (n - 1); 0 for a single value."""
    return stdev(values) if len(values) > 1 else 0.0


def nested_deviations(groups):
    """Standard deviations of the three levels of groups of groups of values, as many on every level: between groups,
    between their parts, within those (analysis of variance; 0 where an estimate is not positive)."""
    within = mean([deviation(part) ** 2 for group in groups for part in group])
    parts = [[mean(part) for part in group] for group in groups]
    of_parts = mean([deviation(group) ** 2 for group in parts])  # between, and a share of within
    between_parts = of_parts - within / mean([len(part) for group in groups for part in group])
    between = deviation([mean(group) for group in parts]) ** 2 - of_parts / mean([len(group) for group in groups])
    return tuple(math.sqrt(max(variance, 0.0)) for variance in (between, between_parts, within))


def paired_t(differences):
    """Two-sided p of Student's paired t test; None where it says nothing (n < 2). scipy's ttest_1samp
    gives the same but warns when all differences are alike, which is nothing unusual here."""
    n = len(differences)
    if n < 2:
        return None
    centre, spread = mean(differences), deviation(differences)
    if spread == 0.0:
        return 1.0 if centre == 0.0 else 0.0
    return float(2 * stdtr(n - 1, -abs(centre) / (spread / math.sqrt(n))))


def interval(differences, level=0.95):
    """Student's confidence interval of the mean; None where it says nothing (n < 2)."""
    n = len(differences)
    if n < 2:
        return None
    half = float(stdtrit(n - 1, (1 + level) / 2)) * deviation(differences) / math.sqrt(n)
    return mean(differences) - half, mean(differences) + half


def holm(p_values):
    """Holm's step-down correction of a family of p values; None stays None and does not count."""
    order = sorted((i for i, p in enumerate(p_values) if p is not None), key=lambda i: p_values[i])
    corrected, least = list(p_values), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[i]))
        corrected[i] = least
    return corrected


def _doubled_ranks(magnitudes):
    """Twice the mid-ranks: whole numbers also with ties."""
    return [int(2 * rank) for rank in rankdata(magnitudes)]


def wilcoxon(differences):
    """Two-sided exact p of the signed-rank test: all 2^n signs counted, zeros left out. scipy's is exact
    without ties only."""
    kept = [d for d in differences if d != 0.0]
    if not kept:
        return None if not differences else 1.0
    ranks = _doubled_ranks([abs(d) for d in kept])
    positive = sum(rank for d, rank in zip(kept, ranks) if d > 0)
    total = sum(ranks)
    ways = [1] + [0] * total  # ways[s]: sign choices whose positive ranks sum to s
    for rank in ranks:
        for s in range(total, rank - 1, -1):
            ways[s] += ways[s - rank]
    tail = sum(ways[: min(positive, total - positive) + 1])
    return min(1.0, 2.0 * tail / 2.0 ** len(kept))
