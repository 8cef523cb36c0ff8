"""What each label attack reads of masked, by AP's budget: a short table for docs/audit.md."""
from . import paper, series, stats, style, tables


def markdown(results):
    """Balanced accuracy at the paper's delta_AP: the mean over the data sets, and the lowest and highest of them."""
    found = {}
    for p in results.of_config("fig-label-attack").finals("attack_balanced_accuracy"):
        if p.run.delta_ap == paper.DELTA_AP:
            found.setdefault((p.run.attack, p.run.eps_ap), []).append(p.value)
    budgets = sorted({eps for _, eps in found})
    attacks = sorted({attack for attack, _ in found}, key=style.attack_order)

    def cell(values):
        return f"{stats.mean(values):.3f} ({min(values):.2f} to {max(values):.2f})" if values else "-"
    return tables.markdown(["attack", *(f"eps_AP {series.short(eps)}" for eps in budgets)],
                           [[f"`{attack}`", *(cell(found.get((attack, eps))) for eps in budgets)] for attack in attacks])
