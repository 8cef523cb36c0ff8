"""tab-audit: for each mechanism, party and view the eps that is claimed and the eps that trials show."""
from . import series, stats, style, tables

VIEWS = {"stated": "one message by itself", "pair": "<g> and <h> together", "receiver": "knowing B",
         "wire": "all that is sent"}


def audits(results):
    """[(run, party, view, lower bound, claim or None if there is none)]"""
    claims = {(p.run.run, p.party, p.view): p.value for p in results.finals("audit_claim")}
    return [(p.run, p.party, p.view, p.value, claims.get((p.run.run, p.party, p.view)))
            for p in results.finals("audit_eps")]


def mechanism(run):
    extra = [f"{key.split('.')[-1]} {value}" for key, value in run.params
             if key.startswith("deviation.") or key == "privacy.theorem3" or (key == "train.rounds" and value != "1")]
    return ", ".join([run.method] + ([f"W {run.W:g}"] if run.W and run.W > 1 else []) + extra)


def verdict(bound, claim):
    if claim is None:
        return "no claim"
    return "broken" if bound > claim * (1 + 1e-9) else "not contradicted"


def audit_cells(results):
    """{(mechanism, party, its budget, view): [(lower bound, claim or None)]}"""
    cells = {}
    for run, party, view, bound, claim in audits(results):
        budget = run.eps_ap if party == "AP" else run.eps_pp
        cells.setdefault((mechanism(run), party, budget or 0, view), []).append((bound, claim))
    return cells


def trials(results):
    """A line for each mechanism and reader: the bounds by budget; bold: more than the budget of one message."""
    cells = audit_cells(results)
    budgets = sorted({budget for _, _, budget, _ in cells})

    def shown(key, budget):
        found = cells.get((*key[:2], budget, key[2]))
        if not found:
            return "-"
        bound = stats.mean([b for b, _ in found])
        return f"**{bound:.2f}**" if bound > budget else f"{bound:.2f}"
    lines = sorted({(name, party, view) for name, party, _, view in cells})
    return tables.markdown(["mechanism", "data of", "the reader has", *(f"claimed {series.short(b)}: at least" for b in budgets)],
                           [[name, party, VIEWS.get(view, view), *(shown((name, party, view), b) for b in budgets)]
                            for name, party, view in lines])


def build(config, results, sink):
    cells = audit_cells(results)
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
               ["mechanism", "of", "budget", "the reader has", "claimed", "at least", "verdict"], rows,
               results.all_points)


def transcript_rows(results):
    """[(method, party, bound, claim of the wire or None, claim of what is covered or None, where it was read)]"""
    def claims(view):
        return {(p.run.run, p.party): p.value for p in results.finals("transcript_claim", view=view)}
    wire, stated = claims("wire"), claims("stated")
    rows = [(p.run.method, p.party, p.value, wire.get((p.run.run, p.party)), stated.get((p.run.run, p.party)), p.reason)
            for p in results.finals("transcript_eps")]
    return sorted(rows, key=lambda row: (row[1], style.method_order(row[0])))


def build_transcripts(config, results, sink):
    rows = transcript_rows(results)
    if not rows:
        return sink.skip(config, "no run with attack.name: transcript")

    def eps(value):
        return "none" if value is None else f"{value:.3g}"
    sink.table(config, "Whole trainings told apart",
               "eps that telling two neighbouring trainings apart shows at least, by anything that crossed (Clopper-Pearson, 95 %), "
               "beside what the accountant claims for all that crossed and for what a mechanism covers. none: no finite eps is "
               "claimed. A bound above a finite claim is a broken promise.",
               ["method", "data of", "at least", "claimed for all", "claimed for what is covered", "verdict", "where"],
               [[method, party, f"{bound:.2f}", eps(wire), eps(stated), verdict(bound, wire), reason]
                for method, party, bound, wire, stated, reason in rows], results.all_points)
