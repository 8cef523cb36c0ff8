"""U9 and T1 to T5: claims of the theorems."""
import math

from . import fig_audit, series, stats
from .fig_delta_pp import SMALLEST
from .fig_deviation import deviation_cells
from .verdict import FALSE, REPRODUCED, Finding, average, cells, held, no_data, over_readings, shared_differences, spread


def has_deviation(run):
    return any(key.startswith("deviation.") for key, _ in run.params)


def auc_changes(results):
    """{deviation: [test AUC - honest test AUC, over all repeats]} of tab-deviation."""
    found = {}
    for (_, _, metric), cell in deviation_cells(results.of_config("tab-deviation")).items():
        if metric != "test_auc" or "" not in cell:
            continue
        for deviation, values in cell.items():
            found.setdefault(deviation, []).extend(shared_differences(values, cell[""]))
    return found


def u9(results):
    change = auc_changes(results)
    if not change.get("pp_sigma1=0"):
        return no_data("a run with deviation.pp_sigma1: 0 beside the honest one is needed")
    same = all(d == 0 for d in change["pp_sigma1=0"])
    others = {k: stats.mean(v) for k, v in change.items() if v and k and (k.startswith("pp_sigma2") or k.startswith("ap_c"))}
    moved = ", ".join(f"{k} {v:+.3f}" for k, v in sorted(others.items()))
    return held(same and any(abs(v) > 1e-3 for v in others.values()),
                f"without sigma1 the AUC is {'the same to the last digit' if same else 'another'} in "
                f"{len(change['pp_sigma1=0'])} pairs of runs; other sigma2 and C move it ({moved})")


def t4(results):
    change = auc_changes(results).get("pp_sigma1=0")
    if not change:
        return no_data("a run with deviation.pp_sigma1: 0 beside the honest one is needed")
    return held(all(d == 0 for d in change), f"dropping the active and inactive noise changes no AUC in {len(change)} "
                                             "pairs of runs; the tests show it in integers, sum by sum")


def t1(results):
    shares, bounds = ({p.run.run: p.value for p in results.finals(metric, method="masked")
                       if not has_deviation(p.run)}
                      for metric in ("thm1_deviation_share", "thm1_bound"))
    both = [(shares[run], bounds[run]) for run in sorted(shares.keys() & bounds.keys())]
    if not both:
        return no_data("thm1_deviation_share and thm1_bound of masked runs are needed")
    share, bound = (stats.mean([pair[i] for pair in both]) for i in (0, 1))
    return held(share <= bound, f"in {len(both)} trainings scores are off by alpha or more in a share {share:.4f} of the "
                                f"watched splits, the corrected bound gives {bound:.4f}",
                "as printed U lacks a '- 1' and tends to 2 as kappa -> 0; for a fixed sign at W = 1 even the corrected "
                "one can be exceeded (test Theorem1.fixed_sign_exceeds_the_bound)")


def largest_advantage(eps, delta):
    """What TPR - FPR an (eps, delta)-private message allows at most."""
    return (math.exp(eps) - 1 + 2 * delta) / (math.exp(eps) + 1)


def t2(results):
    """label-subspace and the audit read single messages, so their success bounds what one message may tell."""
    points = [p for p in results.finals("attack_balanced_accuracy", method="masked", attack="label-subspace")
              if p.run.eps_ap is not None]
    broken, seen = [], len(points)
    for (eps, delta, *_), cell in cells(points, "eps_ap", "delta_ap", "W", "params", "dataset", "reading").items():
        error = 2 * spread(cell) / math.sqrt(len(cell))
        if 2 * (average(cell) - error) - 1 > largest_advantage(eps, delta or 0):
            broken.append((eps, f"label-subspace has balanced accuracy {average(cell):.3f} at eps_AP {eps:g}, where the "
                                f"claim allows {0.5 + largest_advantage(eps, delta or 0) / 2:.3f}"))
    for run, party, view, bound, _ in fig_audit.audits(results):
        if run.method != "masked" or party != "AP" or run.eps_ap is None or has_deviation(run):
            continue
        seen += 1
        if bound > run.eps_ap:
            broken.append((run.eps_ap, f"a reader with {fig_audit.VIEWS[view]} shows eps at least {bound:.2f} (95 %) "
                                       f"where {run.eps_ap:g} is claimed"))
    if not seen:
        return no_data("neither label-subspace nor the audit has been run on masked")
    if broken:
        return Finding(FALSE, f"{len(broken)} cells contradict it, first: {min(broken)[1]}")
    return Finding(REPRODUCED, "neither label-subspace nor the audit contradicts it (which is no proof)")


def t3(results):
    by_ratio = {}
    for metric in ("delta_pp_printed", "delta_pp_tight"):
        for p in results.finals(metric):
            ratio = series.facet(p.run, "privacy.ratio")
            if ratio:
                by_ratio.setdefault((p.run.W or 1, p.run.eps_pp, ratio), {})[metric] = p.value
    both = {key: v for key, v in by_ratio.items() if len(v) == 2}
    if not both:
        return no_data("delta_pp_printed and delta_pp_tight over privacy.ratio are needed")
    rows = {}
    for key in sorted(both):
        rows.setdefault(key[:2], []).append(both[key]["delta_pp_printed"])
    grows = all(b >= a for row in rows.values() for a, b in zip(row, row[1:]))
    broken = {k: v["delta_pp_tight"] / max(v["delta_pp_printed"], SMALLEST) for k, v in both.items()
              if v["delta_pp_tight"] > max(v["delta_pp_printed"] * (1 + 1e-9), SMALLEST)}
    text = f"delta_PP {'grows' if grows else 'does not grow'} with sigma1^2/sigma2^2"
    if broken:
        (W, eps, ratio), factor = max(broken.items(), key=lambda item: item[1])
        smallest = min(key[1] for key in broken)
        return Finding(FALSE, f"the true delta exceeds the printed one from eps_PP {smallest:g} on, up to "
                              f"{factor:.3g} times (eps_PP {eps:g}, W {W:g}, ratio {ratio:.3g}); {text}")
    if not grows:
        return Finding(FALSE, text)
    return Finding(REPRODUCED, f"the printed delta is never below the true one in {len(both)} points; {text}")


def t5(results):
    def budget_of(p):
        return p.run.eps_ap if p.party == "AP" else p.run.eps_pp

    points = [p for p in results.finals("eps_training", method="masked") if budget_of(p)]

    def judge(part):
        over = [(p.value / budget_of(p), p.value, p.party, budget_of(p)) for p in part]
        worst = max(over)
        return worst[0] <= 1 + 1e-9, (f"the accountant gives at most {worst[0]:.3g} times the budget "
                                      f"(eps_{worst[2]} {worst[1]:.3g} for {worst[3]:g})")
    return over_readings(points, judge) if points else no_data("no eps_training of a run")
