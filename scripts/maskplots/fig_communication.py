"""tab-communication: bytes of one node, by the paper's formula and as counted on the wire."""
from . import paper, series, stats, style
from .tables import bytes_text


def build(config, results, sink):
    counted = results.finals("wire_bytes")
    if not counted:
        return sink.skip(config, "no wire_bytes")
    keys = series.varying([p.run for p in counted], ("source", "threads", "eps_ap", "eps_pp", "reading"))

    def label(run):
        variant = series.variant_text(run, keys)
        return (run.dataset, run.method, f"{run.method} ({variant})" if variant else run.method)

    def means(metric, **about):
        found = {}
        for p in results.finals(metric, **about):
            found.setdefault(label(p.run), []).append(p.value)
        return {key: stats.mean(values) for key, values in found.items()}

    total, formula = means("wire_bytes"), means("wire_formula_bytes")
    order = sorted(total, key=lambda k: (k[0], style.method_order(k[1]), k[2]))
    _totals(config, order, total, formula, counted, sink)
    _kinds(config, order, results, means, sink)


def _totals(config, order, total, formula, counted, sink):
    rows = []
    for key in order:
        dataset, method, label = key
        predicted = formula.get(key)
        rows.append([label, dataset, paper.NODE_FORMULA.get(method, "–"),
                     bytes_text(paper.NODE_BYTES[method]) if method in paper.NODE_BYTES else "–",
                     bytes_text(predicted) if predicted else "–", bytes_text(total[key]),
                     f"{total[key] / predicted:.3f}" if predicted else "–"])
    sink.table(config, "Bytes on the wire",
               "Formula and bytes counted by the wire for the run's nodes; the paper's column is one node of "
               "n = 1000 rows, l = 32 candidates, W = 3. Counted includes framing, totals, decisions and row sets.",
               ["method", "dataset", "formula a node", "the paper's", "formula, this run", "counted",
                "counted / formula"], rows, counted)


def _kinds(config, order, results, means, sink):
    kinds = list(dict.fromkeys((p.party, p.kind) for p in results.finals("message_bytes")))
    if not kinds:
        return sink.skip(f"{config}: bytes by kind of message", "no message_bytes")
    by_kind = {(party, kind): means("message_bytes", party=party, kind=kind) for party, kind in kinds}
    rows = [[label, dataset, *(bytes_text(by_kind[k][key]) if key in by_kind[k] else "–" for k in kinds)]
            for key in order for dataset, _, label in [key]]
    sink.table(config + "-kinds", "Bytes by kind of message", "As counted by the wire, framing included.",
               ["method", "dataset", *(f"{party} {kind.replace('_', ' ')}" for party, kind in kinds)], rows,
               results.all_points)
