"""Mean, standard deviation and two paired tests, exact for small samples."""
import math
from statistics import fmean as mean, stdev

from scipy.special import stdtr
from scipy.stats import rankdata


def deviation(values):
    """Sample standard deviation (n - 1); 0 for a single value."""
    return stdev(values) if len(values) > 1 else 0.0


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
