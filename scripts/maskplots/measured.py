"""What masked's runs of the paper's setting really had, on Adult, by AP's budget: a table for docs/privacy.md."""
from . import series, stats, tables

CONFIG, DATASET = "fig-utility", "adult"
LINES = (  # title, method, metric, party, how a mean is written
    ("`eps_training` of AP: its messages, all of them", "masked", "eps_training", "AP", "{:.0f}"),
    ("`eps_training` of PP", "masked", "eps_training", "PP", "{:.0f}"),
    ("`noise_kappa_half`: noise on the sum of half of the rows", "masked", "noise_kappa_half", "", "{:.0f}"),
    ("`true_argmax_share`: PP's noisy choice is the best one", "masked", "true_argmax_share", "", "{:.3f}"),
    ("`gain_lost` of PP's best split", "masked", "gain_lost", "", "{:.2f}"),
    ("`thm1_deviation_share` at the root, alpha a quarter of the smaller side", "masked", "thm1_deviation_share", "", "{:.2f}"),
    ("`thm1_bound` there, corrected U", "masked", "thm1_bound", "", "{:.2f}"),
    ("test AUC of masked", "masked", "test_auc", "", "{:.3f}"),
    ("test AUC of label-rr, eps_AP for the whole training", "label-rr", "test_auc", "", "{:.3f}"),
    ("test AUC of local, which sends nothing", "local", "test_auc", "", "{:.3f}"),
    ("test AUC of nonprivate", "nonprivate", "test_auc", "", "{:.3f}"),
)
METRICS = sorted({metric for _, _, metric, _, _ in LINES})


def is_of(config, dataset):
    return (config, dataset) == (CONFIG, DATASET)


def markdown(results):
    """A method without a budget has the same number in every column."""
    found = {}
    for metric in METRICS:
        for p in results.finals(metric):
            if is_of(p.run.config, p.run.dataset) and not p.run.param("verify"):
                found.setdefault((p.run.method, metric, p.party, p.run.eps_ap), []).append(p.value)
    budgets = sorted({eps for method, _, _, eps in found if method == "masked"})

    def cell(method, metric, party, eps, form):
        values = found.get((method, metric, party, eps)) or found.get((method, metric, party, None))
        return form.format(stats.mean(values)) if values else "-"
    return tables.markdown(["eps_AP", *map(series.short, budgets)],
                           [[title, *(cell(method, metric, party, eps, form) for eps in budgets)]
                            for title, method, metric, party, form in LINES])
