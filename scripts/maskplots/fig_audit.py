"""tab-audit: for each mechanism, party and view the eps that is claimed and the eps that trials show."""
from . import series, stats

BOUND, CLAIM = "audit_eps_", "audit_claim_"
VIEWS = {"stated": "one message by itself", "pair": "<g> and <h> together", "receiver": "knowing B",
         "wire": "all that is sent"}


def audits(results):
    """[(run, party, view, lower bound, claim or None if there is none)]"""
    claims = {(p.run.run, p.metric[len(CLAIM):]): p.value for metric in results.by_metric if metric.startswith(CLAIM)
              for p in results.finals(metric)}
    found = []
    for metric in results.by_metric:
        if metric.startswith(BOUND):
            key = metric[len(BOUND):]
            party, view = key.split("_", 1)
            found += [(p.run, party, view, p.value, claims.get((p.run.run, key))) for p in results.finals(metric)]
    return found


def mechanism(run):
    extra = [f"{key.split('.')[-1]} {value}" for key, value in run.params
             if key.startswith("deviation.") or key == "privacy.theorem3" or (key == "train.rounds" and value != "1")]
    return ", ".join([run.method] + ([f"W {run.W:g}"] if run.W and run.W > 1 else []) + extra)


def verdict(bound, claim):
    if claim is None:
        return "no claim"
    return "broken" if bound > claim * (1 + 1e-9) else "not contradicted"


def build(config, results, sink):
    cells = {}
    for run, party, view, bound, claim in audits(results):
        budget = run.eps_ap if party == "ap" else run.eps_pp
        cells.setdefault((mechanism(run), party.upper(), budget or 0, view), []).append((bound, claim))
    if not cells:
        return sink.skip(config, "no run with attack.name: audit")
    rows = []
    for (name, party, budget, view), values in sorted(cells.items()):
        bound = stats.mean([b for b, _ in values])
        claim = values[0][1]
        rows.append([name, party, series.short(budget), VIEWS.get(view, view),
                     "none" if claim is None else f"{claim:.3g}", f"{bound:.2f}", verdict(bound, claim)])
    sink.table(config, "What eps holds", "eps claimed by the accountant for what the reader sees, and the lower bound that "
               "telling two neighbouring inputs apart shows (Clopper-Pearson, 95 %). claimed: none where the accountant "
               "says that no finite eps holds. ap_c 0.64 is broken on purpose: its noise is scaled by 0.8.",
               ["mechanism", "of", "budget", "the reader has", "claimed", "at least", "verdict"], rows)
