"""Mean, standard deviation and two paired tests, exact for small samples and without scipy."""
import math


def mean(values):
    return math.fsum(values) / len(values)


def deviation(values):
    """Sample standard deviation (n - 1); 0 for a single value."""
    if len(values) < 2:
        return 0.0
    centre = mean(values)
    return math.hypot(*(v - centre for v in values)) / math.sqrt(len(values) - 1)


def _beta_fraction(a, b, x):
    """Continued fraction of the incomplete beta function (Lentz)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / max(1.0 - (a + b) * x / (a + 1.0), tiny)
    result = d
    for m in range(1, 500):
        for top in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                    -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 / ((1.0 + top * d) or tiny)
            c = (1.0 + top / c) or tiny
            result *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return result


def incomplete_beta(a, b, x):
    """Regularised I_x(a, b)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def paired_t(differences):
    """Two-sided p of Student's paired t test; None where it says nothing (n < 2)."""
    n = len(differences)
    if n < 2:
        return None
    centre, spread = mean(differences), deviation(differences)
    if spread == 0.0:
        return 1.0 if centre == 0.0 else 0.0
    t = centre / (spread / math.sqrt(n))
    freedom = n - 1
    return incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))


def _doubled_ranks(magnitudes):
    """Twice the mid-ranks: whole numbers also with ties."""
    order = sorted(magnitudes)
    return [2 * order.index(m) + order.count(m) + 1 for m in magnitudes]


def wilcoxon(differences):
    """Two-sided exact p of the signed-rank test: all 2^n signs counted, zeros left out."""
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


def rank_correlation(xs, ys):
    """Spearman's; None for fewer than three points or a constant."""
    if len(xs) < 3:
        return None
    a, b = _doubled_ranks(xs), _doubled_ranks(ys)
    ma, mb = mean(a), mean(b)
    top = math.fsum((x - ma) * (y - mb) for x, y in zip(a, b))
    bottom = math.sqrt(math.fsum((x - ma) ** 2 for x in a) * math.fsum((y - mb) ** 2 for y in b))
    return top / bottom if bottom else None
