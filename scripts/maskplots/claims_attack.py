"""A1 to A4: claims about attacks."""
from . import paper, stats
from .fig_deviation import ATTACK_METRICS, deviation_cells
from .verdict import FALSE, NOT, READING, REPRODUCED, Finding, held, no_data, shared_differences

ABOUT = 0.04     # "about .51" and the like
SLIGHT = 0.10    # "gains slightly"
HELPS = 0.02     # an attack this much better was helped
LEAKS = 0.10     # a guess this much better than a blind one leaks
BLIND = 0.5      # balanced measures of a guess without messages
BY_PP = ("label-nn", "label-nn-decay", "label-subspace", "label-residue", "label-average", "leaf")
DEVIATION_OF_PP = "pp_"


def levels(points, budget):
    """{attack: {budget: mean over everything else}}, budgets ascending."""
    found = {}
    for p in points:
        if getattr(p.run, budget) is not None:
            found.setdefault(p.run.attack, {}).setdefault(getattr(p.run, budget), []).append(p.value)
    return {attack: {eps: stats.mean(values) for eps, values in sorted(row.items())}
            for attack, row in found.items()}


def judged_by_attacker(rows, own, limit_strict, limit_wide, name):
    """The paper's own attacker decides; a stronger one makes the claim hold for the weak one only."""
    strict, widest = next(iter(rows[own].values())), max(rows[own].values())
    text = f"the paper's {own} has {name} {strict:.3f} at budget {min(rows[own]):g} and at most {widest:.3f}"
    stronger = {a: row for a, row in rows.items() if a != own and max(row.values()) > limit_wide}
    if stronger:
        text += "; stronger attacks: " + ", ".join(
            f"{a} {next(iter(row.values())):.3f} at budget {min(row):g} and up to {max(row.values()):.3f}"
            for a, row in sorted(stronger.items()))
    if strict > limit_strict or widest > limit_wide:
        return Finding(NOT, text)
    if stronger:
        return Finding(READING, text + ": it holds for the paper's weak attacker only")
    return Finding(REPRODUCED, text)


def a1(results):
    part = results.of_config("fig-label-attack")
    for metric, name in (("attack_balanced_accuracy", "balanced accuracy"), ("attack_accuracy", "accuracy")):
        rows = levels([p for p in part.finals(metric, method="masked") if p.run.attack in BY_PP], "eps_ap")
        if "label-nn" in rows:
            strict = next(iter(rows["label-nn"].values()))
            return judged_by_attacker(rows, "label-nn", paper.LABEL_ATTACK_STRICT + ABOUT, strict + SLIGHT, name)
    return no_data("label-nn has not been run on masked")


def a2(results):
    """By the balanced bit match, whose floor is 1/2: the bit match of a blind guess is far above .6 where
    splitting vectors are seldom halves."""
    part = results.of_config("fig-attribute-attack")
    rows = levels(part.finals("balanced_bit_match", method="masked"), "eps_pp")
    if "attribute-minsum" not in rows:
        return no_data("attribute-minsum has not been run on masked")
    finding = judged_by_attacker(rows, "attribute-minsum", paper.BIT_MATCH_STRICT + ABOUT, paper.BIT_MATCH_MOST,
                                 "balanced bit match")
    plain = levels(part.finals("bit_match", method="masked"), "eps_pp")
    floor = [p.value for p in part.finals("bit_match_floor", method="masked")]
    if not floor:
        return finding
    matches = ", ".join(f"{attack} at most {max(row.values()):.3f}" for attack, row in sorted(plain.items()))
    return Finding(finding.verdict, f"{finding.why}. Not balanced, {matches}; a guess without messages has "
                                    f"{stats.mean(floor):.3f}", finding.note)


def a3(results):
    tried, helped = 0, []
    for (dataset, attack, metric), cell in deviation_cells(results.of_config("tab-deviation")).items():
        honest = cell.get("")
        if metric not in ATTACK_METRICS or not honest:
            continue
        for deviation, values in cell.items():
            if not deviation or deviation.startswith(DEVIATION_OF_PP) != (attack in BY_PP):
                continue  # who deviates must be who attacks
            differences = shared_differences(values, honest)
            if differences:
                tried += 1
                helped += [(stats.mean(differences), deviation, attack, dataset)] * (stats.mean(differences) > HELPS)
    if not tried:
        return no_data("no attack by a party that departs, beside the honest run")
    if helped:
        gain, deviation, attack, dataset = max(helped)
        return Finding(FALSE, f"{deviation} raises {attack} by {gain:.3f} on {dataset} ({len(helped)} of {tried} helped)")
    return Finding(REPRODUCED, f"no departure of {tried} raises an attack by more than {HELPS}")


def a4(results):
    """Do PP's features leak to AP? That AP is protected holds for the ciphertexts; the row sets are in clear."""
    points = results.finals("balanced_bit_match", method="paillier")
    if not points:
        return no_data("no attribute attack has been run on paillier")
    best = max(points, key=lambda p: p.value)
    floor = [p.value for p in results.finals("bit_match_floor", method="paillier")]
    mean = stats.mean([p.value for p in points])
    text = (f"from the sums AP has a balanced bit match of {mean:.3f} in the mean and {best.value:.3f} at best "
            f"({best.run.attack} on {best.run.dataset}); a blind guess has {BLIND}")
    bits = [p.value for p in results.finals("bit_match", method="paillier")]
    if bits and floor:
        text += f". Not balanced {stats.mean(bits):.3f} against {stats.mean(floor):.3f}"
    areas = [abs(p.value - BLIND) for p in results.finals("attack_auc", method="paillier", attack="leaf")]
    note = ""
    if areas and max(areas) > LEAKS:
        note = f"PP orders the labels by the row sets alone, AUC {BLIND + max(areas):.3f} up to the sign"
    return held(mean > BLIND + LEAKS, text, note)
