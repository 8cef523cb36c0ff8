"""Made-up results for tests of the figures and the report: the tables that the harness
writes, with numbers that look like those of docs/privacy.md. Never used outside tests."""
import csv
import hashlib
import math
import random
from pathlib import Path

import support  # noqa: F401  sets the path
from maskplots.schema import NUMBER_COLUMNS, RUN_COLUMNS

DATASETS = ("credit1", "adult", "higgs", "bank", "credit2", "nomao")
BUDGETS = (0.5, 1, 2, 4, 6, 8)
TOP = {"credit1": 0.862, "adult": 0.927, "higgs": 0.790, "bank": 0.93, "credit2": 0.768, "nomao": 0.97}
AP_BUDGET = ("masked", "xgb-ldp", "fedxgb-ldp", "label-rr", "bilateral-rr")
PP_BUDGET = ("masked", "federboost", "bilateral-rr")
READING = ("masked", "xgb-ldp", "fedxgb-ldp")
GAP = {"nonprivate": 0, "paillier": 0, "smm": 0, "local": 0.04, "random-split": 0.025, "masked": 0.06,
       "xgb-ldp": 0.28, "fedxgb-ldp": 0.33, "federboost": 0.05, "label-rr": 0.02, "bilateral-rr": 0.04}
SECONDS = {"nonprivate": 0.004, "local": 0.003, "random-split": 0.004, "masked": 0.4, "xgb-ldp": 0.006,
           "fedxgb-ldp": 0.005, "federboost": 0.004, "label-rr": 0.005, "bilateral-rr": 0.005,
           "smm": 3.0, "paillier": 2.6}


def settings(text):
    """"a.b=1;c.d=2" as a dictionary."""
    return dict(piece.split("=", 1) for piece in text.split(";") if piece)


class Fake:
    def __init__(self, seed=1):
        self.rows = []  # (line of runs.csv, line of results.csv or None)
        self.random = random.Random(seed)

    def run(self, config, method, dataset="adult", repeat=0, eps_ap=1, delta_ap=0.001, eps_pp=1, W=1,
            attack="none", reading="paper", params="", source="file", **changes):
        ldp = method in ("xgb-ldp", "fedxgb-ldp")
        run = dict.fromkeys(RUN_COLUMNS, "")
        run.update(config=config, dataset=dataset, source=source, method=method, attack=attack,
                   backend="cpu-avx2" if method == "masked" else "cpu",  # as maskbench writes them
                   seed=1 + repeat, seed_partition=1 + repeat, seed_split=1 + repeat, seed_noise=1 + repeat,
                   repeat=repeat, status="ok", noise_source="seed",
                   sha256="ab" * 32, commit="0123abc", cpu="Test CPU", threads=2, compiler="g++ 12.2.0")
        run.update(params if isinstance(params, dict) else settings(params))
        if method in AP_BUDGET:
            run.update(eps_ap=eps_ap)
        if method in PP_BUDGET:
            run.update(eps_pp=eps_pp)
        if method in READING:
            run.update(delta_ap=delta_ap, reading=reading, privacy_unit="record", composition="advanced",
                       mu="paper", scope="tree" if ldp or reading == "equal" else "message")
        if method == "masked":
            run.update(W=W, mode="collapsed", delta_pp="1/n")
        run.update(changes)
        run["run"] = hashlib.sha256(repr(sorted(map(str, run.items()))).encode()).hexdigest()[:16]
        return run

    def metric(self, run, metric, value, round="", unit="", **changes):
        number = {**dict.fromkeys(NUMBER_COLUMNS, ""), "run": run["run"], "metric": metric, "value": value, "round": round,
                  "unit": unit, "status": "ok", **changes}
        self.rows.append((run, number))

    def failed(self, run, reason):
        self.rows.append(({**run, "status": "error", "reason": reason}, None))

    def auc(self, run, rounds=12, offset=0.0):
        gap = GAP[run["method"]]
        budget = run["eps_ap"] if run["method"] in AP_BUDGET else 1
        gap = gap / (1 + 0.35 * math.log2(2 * float(budget))) if run["method"] in AP_BUDGET else gap
        final = TOP.get(run["dataset"], 0.9) - gap + offset
        spread = 0.02 if run["method"] in ("federboost", "xgb-ldp", "fedxgb-ldp") else 0.003
        final += self.random.gauss(0, spread)
        for r in range(rounds):
            wobble = self.random.gauss(0, spread / 3)
            value = final - 0.15 * math.exp(-4 * r / rounds) + wobble if r + 1 < rounds else final
            self.metric(run, "test_auc", value, r)
        self.metric(run, "test_auc", final)
        self.metric(run, "train_auc", min(final + 0.01, 1.0))
        self.metric(run, "test_logloss", 1 - final, unit="nats")
        self.metric(run, "seconds_per_tree", SECONDS[run["method"]], unit="s")
        self.metric(run, "run_seconds", 1.5, unit="s")

    def write(self, path):
        """results.csv, and runs.csv beside it."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        runs = {(run["run"], run["config"]): run for run, _ in self.rows}
        write_csv(path.with_name("runs.csv"), RUN_COLUMNS, runs.values())
        write_csv(path, NUMBER_COLUMNS, [number for _, number in self.rows if number])
        return path


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, columns, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def utility(fake, config="fig-utility", repeats=3, reading="paper", datasets=DATASETS, rounds=12,
            budgets=BUDGETS):
    for dataset in datasets:
        for method in ("nonprivate", "local", "masked", "xgb-ldp", "fedxgb-ldp", "federboost", "label-rr"):
            for eps in budgets if method in AP_BUDGET else (1,):
                for repeat in range(repeats):
                    fake.auc(fake.run(config, method, dataset, repeat, eps_ap=eps, reading=reading), rounds)


def efficiency(fake):
    features = {"credit1": 10, "adult": 14, "higgs": 28, "bank": 16, "credit2": 23, "nomao": 10}
    for dataset in DATASETS:
        for method in ("nonprivate", "masked", "paillier", "xgb-ldp", "fedxgb-ldp", "federboost", "smm"):
            for repeat in range(3):
                run = fake.run("tab-efficiency", method, dataset, repeat)
                run["mode"] = "materialised" if method == "masked" else ""
                seconds = SECONDS[method] * features[dataset] / 10 * fake.random.uniform(0.9, 1.1)
                fake.metric(run, "seconds_per_tree", seconds, unit="s")
                fake.metric(run, "peak_rss", 1e8, unit="bytes")


def label_attack(fake):
    level = {"label-nn": 0.51, "label-nn-decay": 0.60, "label-subspace": 0.999, "label-average": 0.70}
    for attack, base in level.items():
        for eps, delta in [(e, 0.001) for e in BUDGETS] + [(1, d) for d in (1e-5, 1e-4, 1e-2)]:
            for repeat in range(3):
                run = fake.run("fig-label-attack", "masked", repeat=repeat, eps_ap=eps, delta_ap=delta,
                               attack=attack)
                value = min(base + 0.005 * eps + fake.random.gauss(0, 0.002), 1.0)
                fake.metric(run, "attack_accuracy", value)
                fake.metric(run, "attack_balanced_accuracy", value)
                fake.metric(run, "attack_auc", min(value + 0.01, 1.0))
                fake.metric(run, "attack_floor_accuracy", 0.5)
                fake.metric(run, "eps", eps, party="AP", view="stated")
                fake.metric(run, "audit_eps", 6.0 if attack == "label-subspace" else 0.1 * eps, party="AP", view="receiver")


def attribute_attack(fake):
    for attack, slope in {"attribute-minsum": 0.001, "attribute-likelihood": 0.012}.items():
        for eps_pp, eps_ap in [(e, 1) for e in (1, 2, 4, 8)] + [(1, e) for e in (0.5, 2, 4, 8)]:
            for repeat in range(2):
                run = fake.run("fig-attribute-attack", "masked", repeat=repeat, eps_pp=eps_pp, eps_ap=eps_ap,
                               attack=attack)
                fake.metric(run, "bit_match", 0.505 + slope * eps_pp)
                fake.metric(run, "balanced_bit_match", 0.5 + slope * eps_pp)
                fake.metric(run, "bit_match_floor", 0.5)


def all_attacks(fake):
    for method, attack, metric in (("masked", "label-subspace", "attack_auc"), ("paillier", "leaf", "attack_auc"),
                                   ("paillier", "attribute-sums", "balanced_bit_match")):
        for trees in (1, 10):
            fake.metric(fake.run("tab-attacks", method, attack=attack, params={"attack.trees": trees}), metric, 0.9)


def ablation(fake):
    for method in ("nonprivate", "local", "masked"):
        for eps_pp in (1, 2, 4, 8, 16) if method == "masked" else (1,):
            for repeat in range(3):
                fake.auc(fake.run("fig-ablation", method, repeat=repeat, eps_pp=eps_pp),
                         offset=0.003 * eps_pp if method == "masked" else 0)


def delta_pp(fake):
    for eps in (1, 4):
        for i in range(13):
            ratio = 10 ** (-2 + i / 4)
            run = fake.run("fig-delta-pp", "masked", eps_pp=eps, params={"privacy.ratio": f"{ratio:g}", "train.rounds": 1})
            printed = min(1.0, math.exp(-eps / ratio))
            fake.metric(run, "delta_pp_printed", printed)
            fake.metric(run, "delta_pp_tight", printed * (0.4 if eps < 2.5 else 2.7))


def communication(fake):
    total = {"xgb-ldp": 16256, "fedxgb-ldp": 8256, "masked": 1280256, "paillier": 1.06e6, "nonprivate": 16256}
    for method, count in total.items():
        run = fake.run("tab-communication", method, "comm", W=3, params={"train.rounds": 1})
        fake.metric(run, "wire_formula_bytes", count, unit="bytes")
        fake.metric(run, "wire_bytes", count * 1.004, unit="bytes")
        kind = {"masked": "masked", "paillier": "ciphertexts"}.get(method, "gradients")
        fake.metric(run, "message_bytes", count, unit="bytes", party="AP", kind=kind)
        fake.metric(run, "message_bytes", 40, unit="bytes", party="PP", kind="proposals")


def deviation(fake):
    for ratio, gain in ((0, 0.0), (1, 0.001), (100, -0.002)):
        for attack in ("label-nn", "attribute-likelihood"):
            for repeat in range(2):
                run = fake.run("tab-deviation", "masked", repeat=repeat, attack=attack,
                               params={"privacy.ratio": ratio})
                fake.metric(run, "test_auc", 0.88 + 10 * gain)
                fake.metric(run, "attack_accuracy" if attack == "label-nn" else "bit_match", 0.52 + gain)


def gbdt(fake):
    for flag in ("false", "true"):
        for method in ("nonprivate", "masked"):
            for eps in (1, 8) if method == "masked" else (1,):
                for repeat in range(2):
                    fake.auc(fake.run("gbdt", method, repeat=repeat, eps_ap=eps, params={"train.gbdt": flag}))


def quickstart(fake):
    for dataset in ("adult", "bank"):
        for method in ("nonprivate", "local", "masked"):
            for repeat in range(2):
                fake.auc(fake.run("quickstart", method, dataset, repeat, source="synthetic"))


def trouble(fake):
    """What a long sweep leaves behind beside its results."""
    run = fake.run("fig-utility", "paillier", "higgs")
    fake.failed(run, 'out of memory, "really"')
    fake.metric(fake.run("fig-utility", "smm", "bank"), "test_auc", "", status="skip",
                reason="smm needs more candidates than rows, got 3")
    fake.metric(fake.run("fig-utility", "random-split", "adult"), "test_auc", "nan")


def scaling(fake):
    for features in (8, 16, 32):
        for method in ("masked", "xgb-ldp"):
            run = fake.run("fig-scaling", method, "higgs", source="synthetic", params={"data.features": features})
            run["mode"] = "materialised" if method == "masked" else ""
            fake.metric(run, "seconds_per_tree", SECONDS[method] * features / 10, unit="s")


def everything(repeats=3, seed=1, datasets=DATASETS, budgets=BUDGETS):
    fake = Fake(seed)
    utility(fake, repeats=repeats, datasets=datasets, budgets=budgets)
    utility(fake, "fig-utility-equal", repeats=repeats, reading="equal", datasets=datasets[:2], budgets=budgets)
    utility(fake, "fig-convergence", repeats=repeats, datasets=datasets[:2], budgets=budgets)
    for part in (efficiency, scaling, label_attack, attribute_attack, all_attacks, ablation, delta_pp, communication,
                 deviation, gbdt, quickstart, trouble):
        part(fake)
    return fake


if __name__ == "__main__":
    import sys
    everything().write(Path(sys.argv[1]) / "results.csv")
