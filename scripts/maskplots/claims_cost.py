"""E1 to E4: claims about time and bytes."""
import csv
from pathlib import Path

from . import paper, series, stats
from .verdict import NOT, REPRODUCED, Finding, average, cells, coverage, held, no_data, plain

DP_OTHERS = ("xgb-ldp", "fedxgb-ldp", "federboost")
SAME_ORDER = 10.0    # times
BYTES_AGREE = 0.05   # relative
CROSSINGS = Path(__file__).resolve().parents[2] / "results/network/crossing.csv"  # of scripts/fig_network.py


def timed(results):
    """masked counts only materialised."""
    return plain([p for p in results.of_config("tab-efficiency").finals("seconds_per_tree")
                  if p.run.method != "masked" or p.run.mode == "materialised"])


def seconds(results):
    """{dataset: {method: mean seconds a tree}}"""
    found = {}
    for (dataset, method), cell in cells(timed(results), "dataset", "method").items():
        found.setdefault(dataset, {})[method] = average(cell)
    return found


def e1(results):
    ratios = {d: row["paillier"] / row["masked"] for d, row in seconds(results).items()
              if "paillier" in row and "masked" in row}
    if not ratios:
        return no_data("masked (materialised) and paillier on one dataset are needed")
    text = ", ".join(f"{d} {r:.2f}x" for d, r in ratios.items())
    printed = paper.SECONDS_PER_TREE
    own = min((printed["paillier"][d] / printed["masked"][d], d) for d in paper.DATASETS)
    text += (f" (claimed {paper.LEAST_SPEEDUP}x to {paper.MOST_SPEEDUP}x; the paper's own table gives "
             f"{own[0]:.2f}x on {own[1]})")
    text += line_condition(results)
    return held(min(ratios.values()) >= paper.LEAST_SPEEDUP, f"masked is faster than paillier by {text}",
                coverage(timed(results), of_six=True))


def bytes_a_tree(results):
    """{dataset: {method: mean bytes on the wire a tree}}"""
    part = results.of_config("tab-efficiency")
    trees = {p.run: p.value for p in part.finals("trees")}
    sent = plain([p for p in part.finals("wire_bytes") if p.run.method != "masked" or p.run.mode == "materialised"])
    found = {}
    for p in sent:
        if trees.get(p.run):
            found.setdefault(p.run.dataset, {}).setdefault(p.run.method, []).append(p.value / trees[p.run])
    return {d: {m: sum(v) / len(v) for m, v in row.items()} for d, row in found.items()}


def line_condition(results):
    """In one process nothing travels. Over a line masked's bytes cost it the lead."""
    text = "; in one process, where nothing travels: "
    kept = kept_crossings()
    if kept:
        return text + "between two hosts paillier is faster on a line below " + ", ".join(kept) + " (results/network)"
    level = level_by_bytes(results)
    if not level:
        return ""
    return (text + "by the bytes that each sends paillier is faster on a line below "
            + ", ".join(f"{mbit:.0f} Mbit/s ({d})" for d, mbit in level.items()))


def kept_crossings():
    """By the rows that scripts/fig_network.py keeps: of each shape the bandwidths at which the two are level, over the
    latencies, and the bandwidths at which both were measured."""
    if not CROSSINGS.exists():
        return []
    with open(CROSSINGS, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        own = [row for row in rows if row["dataset"] == dataset and row["level_mbit"]]
        if not own:
            continue
        levels = [float(row["level_mbit"]) for row in own]
        times = [float(row["latency_ms"]) for row in own]
        first = own[0]
        measured = ", ".join(f"{method} was faster at {first[column]} Mbit/s" for method, column in
                             (("paillier", "measured_paillier_faster"), ("masked", "measured_masked_faster")) if first[column])
        found.append(f"{min(levels):.0f} to {max(levels):.0f} Mbit/s ({dataset}, modelled for latencies of {min(times):g} to "
                     f"{max(times):g} ms" + (f"; measured at {first['latency_ms']} ms: {measured}" if measured else "") + ")")
    return found


def level_by_bytes(results):
    """{dataset: Mbit/s} at which seconds + 8 bytes / bandwidth of the two are level, latency aside."""
    sent, level = bytes_a_tree(results), {}
    for d, row in seconds(results).items():
        if {"masked", "paillier"} <= row.keys() and {"masked", "paillier"} <= sent.get(d, {}).keys():
            more = sent[d]["masked"] - sent[d]["paillier"]
            slower = row["paillier"] - row["masked"]
            if more > 0 and slower > 0:
                level[d] = 8 * more / slower / 1e6
    return level


def e2(results):
    rows = [(d, r) for d, r in seconds(results).items() if "masked" in r and any(m in r for m in DP_OTHERS)]
    if not rows:
        return no_data("masked (materialised) and another DP method on one dataset are needed")
    slower = all(r["masked"] > max(r[m] for m in DP_OTHERS if m in r) for _, r in rows)
    factor = max(r["masked"] / max(r[m] for m in DP_OTHERS if m in r) for _, r in rows)
    text = (f"masked takes up to {factor:.3g} times the slowest other DP method"
            f"{'' if slower else ' and is not always slower'}")
    growth = cells_by_features(results)
    grows = True
    if len(growth) > 1:
        means = list(growth.values())
        grows = all(b > a for a, b in zip(means, means[1:]))
        text += (f"; {means[0]:.3g} s a tree at {min(growth):g} features, {means[-1]:.3g} s at {max(growth):g}")
    else:
        text += "; growth with features: no data (fig-scaling)"
    return held(slower and factor <= SAME_ORDER and grows, text)


def cells_by_features(results):
    found = {}
    for p in results.of_config("fig-scaling").finals("seconds_per_tree", method="masked"):
        features = series.number(series.facet(p.run, "data.features"))
        if features:
            found.setdefault(features, []).append(p.value)
    return {features: stats.mean(values) for features, values in sorted(found.items())}


def e3(results):
    part = results.of_config("tab-communication")
    formula = cells(part.finals("wire_formula_bytes"), "method", "dataset", "W", "params")
    counted = cells(part.finals("wire_bytes"), "method", "dataset", "W", "params")
    off = {}
    for key in sorted(formula.keys() & counted.keys(), key=repr):
        if key[0] in paper.NODE_FORMULA and average(formula[key]) > 0:
            off[key[0]] = max(off.get(key[0], 0), abs(average(counted[key]) / average(formula[key]) - 1))
    if not off:
        return no_data("wire_bytes and wire_formula_bytes of masked, an LDP method or paillier are needed")
    text = ", ".join(f"{m} {100 * v:.2f} %" for m, v in sorted(off.items()))
    return held(max(off.values()) <= BYTES_AGREE, f"counted bytes differ from the formula by: {text}")


def e4(results):
    rows = {d: r for d, r in seconds(results).items() if "smm" in r and "masked" in r}
    if not rows:
        return no_data("smm and masked (materialised) on one dataset are needed")
    factors = {d: r["smm"] / r["masked"] for d, r in rows.items()}
    text = ", ".join(f"{d} {f:.3g}x" for d, f in factors.items())
    return Finding(REPRODUCED if min(factors.values()) > 1 else NOT, f"smm takes, against masked: {text}")


