"""U1 to U9 and G1: claims about AUC."""
import math

from . import curves, stats
from .verdict import (average, cells, coverage, held, no_data, over_readings, plain, scope_text, shared_differences,
                      with_reading)

SPREADS = "tab-variance"  # where the spread by the noise alone is measured, with the partitions fixed
CONFIGS = ("fig-utility", "fig-utility-message", "fig-utility-equal", "fig-utility-sound", "fig-convergence", SPREADS)
PARTITIONS = 5            # at least so many of them
LDP = ("xgb-ldp", "fedxgb-ldp")
STEP_BACK = 0.005   # a dip of the mean this small still counts as growing
CLOSE = 0.02        # AUC this near counts as close
EQUAL = 0.01        # AUC this near counts as equal


def finals(results):
    return plain(results.of_config(*CONFIGS).finals("test_auc"))


def by_budget(points, method):
    """{dataset: {eps_AP: cell}} of a method."""
    found = {}
    for (name, dataset, eps), cell in cells(points, "method", "dataset", "eps_ap").items():
        if name == method:
            found.setdefault(dataset, {})[eps] = cell
    return {dataset: dict(sorted(row.items(), key=lambda item: item[0] or 0)) for dataset, row in found.items()}


class NoiseSpread:
    """The standard deviation of the test AUC by the noise alone: within runs that share partition and split, pooled. The
    spread over repeats that draw the partition anew says which features AP got, not what the method does."""

    def __init__(self, results):
        groups = {}
        for p in plain(results.of_config(SPREADS).finals("test_auc")):
            run = p.run
            key = (run.reading_name, run.method, run.dataset, run.eps_ap)
            groups.setdefault(key, {}).setdefault((run.seed_partition, run.seed_split), []).append(p.value)
        self.found = {}
        for key, parts in groups.items():
            parts = {place: values for place, values in parts.items() if len(values) > 1}
            if len({partition for partition, _ in parts}) >= PARTITIONS:
                self.found[key] = math.sqrt(stats.mean([stats.deviation(v) ** 2 for v in parts.values()]))

    def of(self, points, method, dataset):
        """{eps_AP: sd} under the reading of the points."""
        reading = next((p.run.reading_name for p in with_reading(points)), "")
        return {eps: sd for (r, m, d, eps), sd in sorted(self.found.items(), key=lambda item: item[0][3] or 0)
                if m == method and d == dataset and r in (reading, "")}


NEEDS_SPREAD = f"the spread by the noise alone needs {SPREADS} under this reading, with {PARTITIONS} partitions"


def missing(points, *methods):
    present = {p.run.method for p in points}
    return [m for m in methods if m not in present]


def u1(results):
    def judge(points):
        if missing(points, "masked") or all(missing(points, m) for m in LDP):
            return None, "masked or the LDP methods have no AUC"
        masked = by_budget(points, "masked")
        gaps = []
        for method in LDP:
            for dataset, row in by_budget(points, method).items():
                for eps, cell in row.items():
                    own = masked.get(dataset, {}).get(eps, {})
                    differences = shared_differences(own, cell)
                    if differences:
                        gaps.append((stats.mean(differences), stats.paired_t(differences), dataset, eps, method))
        if not gaps:
            return None, "no seed in common"
        above = sum(gap[0] > 0 for gap in gaps)
        sure = sum(gap[0] > 0 and gap[1] is not None and gap[1] < 0.05 for gap in gaps)
        worst = min(gaps)
        return above == len(gaps), (
            f"masked is above in {above} of {len(gaps)} cells ({sure} with p < .05, paired t); the worst is "
            f"{worst[0]:+.3f} against {worst[4]} ({worst[2]}, eps_AP {worst[3]:g})")
    return over_readings(finals(results), judge, of_six=True)


def u2(results):
    def judge(points):
        top = by_budget(points, "nonprivate")
        rows = [(d, row) for d, row in by_budget(points, "masked").items() if len(row) > 1 and d in top]
        if not rows:
            return None, "masked at two budgets and nonprivate are needed"
        texts, holds = [], True
        for dataset, row in rows:
            means = [average(cell) for cell in row.values()]
            grows = means[-1] > means[0] and all(b >= a - STEP_BACK for a, b in zip(means, means[1:]))
            gap = average(top[dataset][None]) - means[-1]
            holds &= grows and gap <= CLOSE
            texts.append(f"{dataset} {means[0]:.3f} to {means[-1]:.3f}{'' if grows else ' (not steadily)'}, "
                         f"{gap:.3f} below nonprivate")
        return holds, ", ".join(texts)
    return over_readings(finals(results), judge, of_six=True)


def u3(results):
    spreads = NoiseSpread(results)

    def judge(points):
        top = by_budget(points, "nonprivate")
        texts, holds = [], True
        for method in LDP:
            closed, wild = [], []
            for dataset, row in by_budget(points, method).items():
                mine, theirs = spreads.of(points, method, dataset), spreads.of(points, "masked", dataset)
                if len(row) < 2 or dataset not in top:
                    continue
                means = [average(cell) for cell in row.values()]
                gap = average(top[dataset][None]) - means[0]
                closed.append((means[-1] - means[0]) / gap if gap > EQUAL else 0)  # at the top: nothing to gain
                if mine and theirs:
                    wild.append(stats.mean(mine.values()) > stats.mean(theirs.values()))
            if closed and not wild:
                return None, NEEDS_SPREAD
            if closed:
                holds &= max(closed) < 0.5 and all(wild)
                texts.append(f"{method} closes {100 * min(closed):.0f} to {100 * max(closed):.0f} % of its gap to "
                             f"nonprivate, its spread by the noise is over masked's on {sum(wild)} of {len(wild)} datasets")
        return (holds if texts else None), ", ".join(texts) or "an LDP method at two budgets is needed"
    return over_readings(finals(results), judge, of_six=True)


def u4(results):
    spreads = NoiseSpread(results)

    def judge(points):
        other = by_budget(points, "federboost")
        texts, holds = [], True
        for dataset, row in by_budget(points, "masked").items():
            if dataset not in other or len(row) < 2:
                continue
            fed = other[dataset][None]
            strict, *wider = row
            above = sum(average(row[eps]) > average(fed) for eps in wider)
            holds &= above == len(wider)
            texts.append(f"{dataset}: above at {above} of {len(wider)} larger budgets")
            if dataset in ("credit1", "adult"):
                gap = average(row[strict]) - average(fed)
                own = spreads.of(points, "masked", dataset).get(strict)
                other_spread = spreads.of(points, "federboost", dataset).get(None)
                if own is None or other_spread is None:
                    return None, NEEDS_SPREAD
                holds &= abs(gap) <= EQUAL and own < other_spread
                texts[-1] += (f", {gap:+.3f} at eps_AP {strict:g} with a spread by the noise of {own:.4f} "
                              f"against {other_spread:.4f}")
        return (holds if texts else None), "; ".join(texts) or "masked and federboost are needed"
    return over_readings(finals(results), judge, of_six=True)


def u5(results):
    spreads = NoiseSpread(results)

    def judge(points):
        fed, masked = by_budget(points, "federboost"), by_budget(points, "masked")
        texts, ratios = [], []
        for dataset in sorted(fed.keys() & masked.keys()):
            own = spreads.of(points, "federboost", dataset).get(None)
            theirs = spreads.of(points, "masked", dataset)
            if own is None or not theirs:
                continue
            usual = stats.mean(theirs.values())
            ratios.append(own / max(usual, 1e-9))
            texts.append(f"{dataset} spread by the noise {own:.4f} against masked's {usual:.4f}")
        if not ratios:
            return None, NEEDS_SPREAD
        # "very unstable": more than masked everywhere, and by a factor of 2 or more on average
        return (min(ratios) > 1 and stats.mean(ratios) >= 2,
                f"eps_AP enters nowhere by construction; {', '.join(texts)}; {stats.mean(ratios):.1f} times on average")
    return over_readings(finals(results), judge, of_six=True)


def over_rounds(results, name, **wanted):
    return [p for p in plain(curves.summaries(results.of_config(*CONFIGS), **wanted)) if p.metric == name]


def u6(results):
    spreads = NoiseSpread(results)
    starts = over_rounds(results, curves.FIRST, method="masked")
    end = cells(finals(results), "method", "dataset", "eps_ap", "reading_name")

    def judge(points):
        first = cells(points, "method", "dataset", "eps_ap", "reading_name")
        rising = sum(average(end[key]) > average(cell) for key, cell in first.items() if key in end)
        by_data = [list(spreads.of(points, "masked", d).values()) for d in sorted({p.run.dataset for p in points})]
        pairs = [(row[0], row[-1]) for row in by_data if len(row) > 1]
        if not pairs:
            return None, NEEDS_SPREAD
        shrinks = sum(wide < strict for strict, wide in pairs)
        return rising == len(first) and shrinks == len(pairs), (
            f"AUC rises from the first to the last round in {rising} of {len(first)} cells; the spread "
            f"by the noise is smaller at the largest eps_AP on {shrinks} of {len(pairs)} datasets")
    return over_readings(starts, judge) if starts else no_data("masked has no AUC over rounds")


def u7(results):
    ends = finals(results)

    def judge(points):
        names = {p.run.reading_name for p in with_reading(points)}
        rough = {}
        for (method, dataset), cell in cells(points, "method", "dataset").items():
            rough.setdefault(method, {})[dataset] = average(cell)
        here = [p for p in ends if p.run.reading_name in names]
        fed, masked = by_budget(here, "fedxgb-ldp"), by_budget(here, "masked")
        shared = sorted(rough.get("xgb-ldp", {}).keys() & rough.get("fedxgb-ldp", {}).keys() & masked.keys() & fed.keys())
        if not shared:
            return None, "masked, xgb-ldp and fedxgb-ldp over rounds are needed"
        calmer = sum(rough["fedxgb-ldp"][d] < rough["xgb-ldp"][d] for d in shared)
        pairs = [(average(fed[d][e]), average(masked[d][e])) for d in shared for e in fed[d] if e in masked[d]]
        worse = sum(a < b for a, b in pairs)
        return calmer == len(shared) and worse == len(pairs), (
            f"fedxgb-ldp fluctuates less over the rounds than xgb-ldp on {calmer} of {len(shared)} datasets "
            f"and is below masked in {worse} of {len(pairs)} cells")
    return over_readings(over_rounds(results, curves.ROUGHNESS), judge)


def u8(results):
    part = results.of_config("fig-ablation")
    points = plain(part.finals("test_auc", method="masked"), free=("eps_pp",))
    rows = {}
    for (dataset, eps), cell in cells(points, "dataset", "eps_pp").items():
        rows.setdefault(dataset, {})[eps] = cell
    rows = {d: dict(sorted(row.items())) for d, row in rows.items() if len(row) > 1}
    if not rows:
        return no_data("masked at two eps_PP is needed")
    texts, holds = [], True
    for dataset, row in rows.items():
        means = [average(cell) for cell in row.values()]
        improves = means[-1] > means[0] and all(b >= a - STEP_BACK for a, b in zip(means, means[1:]))
        holds &= improves
        texts.append(f"{dataset} {means[0]:.3f} at eps_PP {min(row):g} to {means[-1]:.3f} at {max(row):g}")
    share = half_way_share(part, points)
    if share:
        holds &= min(share) >= 0.9
        texts.append(f"half of the rounds bring at least {100 * min(share):.0f} % of the gain")
    return held(holds, f"{', '.join(texts)}. On {scope_text(points)}", coverage(points))


def half_way_share(part, ends):
    """For each eps_PP: the share of the gain over all rounds that the first half brings."""
    means = {}
    for p in plain(curves.summaries(part, method="masked"), free=("eps_pp",)):
        means.setdefault(p.run.eps_pp, {}).setdefault(p.metric, []).append(p.value)
    for p in ends:
        means.get(p.run.eps_pp, {}).setdefault("end", []).append(p.value)
    shares = []
    for found in means.values():
        first, half, end = (stats.mean(found[name]) if name in found else None
                            for name in (curves.FIRST, curves.HALF_WAY, "end"))
        if None not in (first, half, end) and end > first:
            shares.append((half - first) / (end - first))
    return shares


def g1(results):
    points = results.of_config("gbdt").finals("test_auc")
    gaps, grows = {}, True
    for flag in (None, "true"):
        chosen = [p for p in points if p.run.param("train.gbdt") == flag]
        masked, top = by_budget(chosen, "masked"), by_budget(chosen, "nonprivate")
        for dataset in sorted(masked.keys() & top.keys()):
            best = list(masked[dataset].values())[-1]
            if flag and len(masked[dataset]) > 1:
                grows &= average(best) > average(list(masked[dataset].values())[0])
            gaps.setdefault(dataset, {})[flag] = average(top[dataset][None]) - average(best)
    both = {d: g for d, g in gaps.items() if len(g) == 2}
    if not both:
        return no_data("masked and nonprivate, with and without train.gbdt, are needed")
    texts = [f"{d}: {g['true']:.3f} below nonprivate without hessians, {g[None]:.3f} with" for d, g in both.items()]
    return held(grows, f"it trains and its AUC {'grows' if grows else 'does not grow'} with eps_AP; at the largest "
                       f"{', '.join(texts)}. On {scope_text(points)}", coverage(points))
