"""Each verdict on fabricated rows, once as the paper has it and once not."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
from fake_results import Fake

if support.HAVE_PLOTS:
    from maskplots import claims, claims_attack, claims_cost, claims_theory, claims_utility
    from maskplots.verdict import FALSE, NO_DATA, NOT, NOT_JUDGED, READING, REPRODUCED

BUDGETS = (0.5, 2, 8)
JITTER = (-0.001, 0.0, 0.001)
LINES = {"nonprivate": (0.93,), "masked": (0.88, 0.90, 0.92), "xgb-ldp": (0.70, 0.72, 0.71),
         "fedxgb-ldp": (0.65, 0.66, 0.68), "federboost": (0.88,)}
SPREAD = {"nonprivate": 1, "masked": 1, "xgb-ldp": 6, "fedxgb-ldp": 6, "federboost": 6}


def utility(fake, reading="paper", lines=None, spread=None, wobble=None, datasets=("adult",), **where):
    """Three repeats and six rounds; finals as given. tab-variance has the spread by the noise, in units of .001, shrinking
    with eps_AP; the repeats themselves draw the partition anew and spread by .05, all alike."""
    for dataset in datasets:
        for method, row in {**LINES, **(lines or {})}.items():
            for eps, auc in zip(BUDGETS, row):
                for repeat, jitter in enumerate(JITTER):
                    run = fake.run(where.get("config", "fig-utility"), method, dataset, repeat, eps_ap=eps,
                                   reading=reading, source=where.get("source", "file"))
                    value = auc + 50 * jitter * (repeat + 1) / 100
                    for r in range(6):
                        step = {"xgb-ldp": 0.02, "fedxgb-ldp": 0.01, **(wobble or {})}.get(method, 0.001)
                        at = value - 0.1 * (5 - r) / 5 + step * (r % 2) * (r < 5)
                        fake.metric(run, "test_auc", value if r == 5 else at, r)
                    fake.metric(run, "test_auc", value)
                for partition in range(where.get("partitions", 5)):
                    for noise, jitter in enumerate(JITTER):
                        run = fake.run("tab-variance", method, dataset, eps_ap=eps, reading=reading, seed_split=1,
                                       seed_partition=partition + 1, seed_noise=noise + 1,
                                       source=where.get("source", "file"))
                        own = jitter * {**SPREAD, **(spread or {})}[method] / (1 + 0.1 * eps)
                        fake.metric(run, "test_auc", auc + 0.03 * partition + own)


def both_readings(**changes):
    fake = Fake()
    for reading in ("paper", "equal"):
        utility(fake, reading, **changes)
    return support.results_of(fake)


def made(*rows):
    """rows of (run arguments, {metric, or "metric party view": value})."""
    fake = Fake()
    for arguments, metrics in rows:
        run = fake.run(**{"config": "c", "method": "masked", **arguments})
        for name, value in metrics.items():
            metric, *about = name.split()
            fake.metric(run, metric, value, **dict(zip(("party", "view"), about)))
    return support.results_of(fake)


@support.needs_plots
class Utility(unittest.TestCase):
    def verdicts(self, results):
        return {c.id: c.function(results).verdict for c in claims.CLAIMS if c.id[0] == "U"}

    def test_the_papers_story_is_reproduced(self):
        found = self.verdicts(both_readings())
        self.assertEqual({k: found[k] for k in ("U1", "U2", "U3", "U4", "U5", "U6", "U7")},
                         dict.fromkeys(("U1", "U2", "U3", "U4", "U5", "U6", "U7"), REPRODUCED))

    def test_each_claim_can_fail(self):
        cases = {
            "U1": dict(lines={"xgb-ldp": (0.70, 0.91, 0.71)}),
            "U2": dict(lines={"masked": (0.88, 0.90, 0.89)}),
            "U3": dict(lines={"xgb-ldp": (0.70, 0.80, 0.90)}),
            "U4": dict(lines={"federboost": (0.91,)}),
            "U5": dict(spread={"federboost": 1}),
            "U6": dict(lines={"masked": (0.88, 0.90, 0.92)}, spread={"masked": 0}),
            "U7": dict(wobble={"fedxgb-ldp": 0.05}),
        }
        for claim, change in cases.items():
            self.assertEqual(self.verdicts(both_readings(**change))[claim], NOT, claim)

    def test_spread_is_not_judged_with_few_partitions_or_without_the_table(self):
        found = self.verdicts(both_readings(partitions=4))
        self.assertEqual({found[k] for k in ("U3", "U4", "U5", "U6")}, {NO_DATA})
        self.assertEqual(found["U1"], REPRODUCED)

    def test_a_claim_is_judged_at_its_scale_only(self):
        def verdict(repeats, params=""):
            fake = Fake()
            for reading in ("paper", "equal"):
                for repeat in range(repeats):
                    for method, auc in (("masked", 0.9), ("xgb-ldp", 0.7), ("fedxgb-ldp", 0.7)):
                        run = fake.run("fig-utility", method, repeat=repeat, reading=reading, params=params)
                        fake.metric(run, "test_auc", auc)
            return claims.CLAIMS[0].judge(support.results_of(fake))
        self.assertEqual(verdict(5).verdict, REPRODUCED)
        for below in (verdict(4), verdict(5, "train.rounds=15"), verdict(5, "data.rows=6000")):
            self.assertEqual(below.verdict, NOT_JUDGED)
            self.assertIn("the claim speaks of 60 rounds, all rows of the data, at least 5 repeats", below.why)
        self.assertIn("15 rounds", verdict(5, "train.rounds=15").why)
        self.assertIn("6000 rows", verdict(5, "data.rows=6000").why)
        self.assertIn("fig-utility;", verdict(5).why)

    def test_no_data_names_the_configs_that_are_needed(self):
        finding = claims.CLAIMS[0].judge(made((dict(config="quickstart"), {"test_auc": 0.9})))
        self.assertEqual(finding.verdict, NO_DATA)
        self.assertIn("needs rows of fig-utility or", finding.why)
        self.assertIn("these results have quickstart", finding.why)

    def test_one_reading_alone_is_only_under_that_reading(self):
        fake = Fake()
        utility(fake, "paper")
        finding = claims_utility.u1(support.results_of(fake))
        self.assertEqual(finding.verdict, READING)
        self.assertIn("Only the reading 'paper' was run", finding.why)

    def test_holding_under_the_unfair_reading_only(self):
        fake = Fake()
        utility(fake, "paper")
        utility(fake, "equal", lines={"xgb-ldp": (0.91, 0.92, 0.925)})
        finding = claims_utility.u1(support.results_of(fake))
        self.assertEqual(finding.verdict, READING)
        self.assertIn("masked is above in 3 of 6 cells", finding.why)

    def test_coverage_stands_beside_the_verdict(self):
        finding = claims_utility.u1(both_readings(source="synthetic"))
        self.assertEqual(finding.note, "on 1 of 6 datasets, on synthetic data")

    def test_variants_of_a_method_do_not_mix(self):
        fake = Fake()
        for reading in ("paper", "equal"):
            utility(fake, reading)
        for repeat in range(3):
            run = fake.run("fig-utility", "masked", "adult", repeat, eps_ap=8, params="masked.orient=smaller")
            fake.metric(run, "test_auc", 0.1)
        self.assertEqual(claims_utility.u1(support.results_of(fake)).verdict, REPRODUCED)

    def test_ablation(self):
        def ablation(finals, half_way):
            fake = Fake()
            for eps, auc in zip((1, 4, 16), finals):
                run = fake.run("fig-ablation", "masked", eps_pp=eps)
                for r, share in enumerate((0, half_way / 2, half_way, 1)):
                    fake.metric(run, "test_auc", auc - 0.1 * (1 - share), r)
                fake.metric(run, "test_auc", auc)
            return claims_utility.u8(support.results_of(fake)).verdict
        self.assertEqual(ablation((0.80, 0.85, 0.90), 0.95), REPRODUCED)
        self.assertEqual(ablation((0.90, 0.85, 0.80), 0.95), NOT)
        self.assertEqual(ablation((0.80, 0.85, 0.90), 0.30), NOT)

    def test_gbdt(self):
        def gbdt(auc):
            rows = []
            for params, masked in (("", 0.90), ("train.gbdt=true", auc)):
                rows.append((dict(config="gbdt", eps_ap=0.5, params=params), {"test_auc": 0.85}))
                rows.append((dict(config="gbdt", eps_ap=8, params=params), {"test_auc": masked}))
                rows.append((dict(config="gbdt", method="nonprivate", params=params), {"test_auc": 0.92}))
            return claims_utility.g1(made(*rows)).verdict
        self.assertEqual(gbdt(0.90), REPRODUCED)
        self.assertEqual(gbdt(0.80), NOT)


@support.needs_plots
class Theory(unittest.TestCase):
    def test_theorem_2(self):
        def subspace(balanced, bound, eps=0.5):
            return claims_theory.t2(made((dict(attack="label-subspace", eps_ap=eps), {
                "attack_balanced_accuracy": balanced, "audit_eps AP receiver": bound}))).verdict
        self.assertEqual(subspace(0.999, 0.1), FALSE)
        self.assertEqual(subspace(0.55, 3.0), FALSE)
        self.assertEqual(subspace(0.55, 0.1), REPRODUCED)
        self.assertEqual(subspace(0.98, 7.0, eps=8), REPRODUCED)

    def test_largest_advantage_is_that_of_randomised_response(self):
        self.assertAlmostEqual(claims_theory.largest_advantage(1.0, 0.0), 2 * 0.7310585786 - 1, places=9)
        self.assertAlmostEqual(claims_theory.largest_advantage(0.0, 0.1), 0.1)

    def test_theorem_3(self):
        def curve(factor, printed=(1e-6, 1e-4, 1e-2)):
            return claims_theory.t3(made(*((dict(eps_pp=4, params=f"privacy.ratio={r}"),
                                            {"delta_pp_printed": d, "delta_pp_tight": d * factor})
                                           for r, d in zip((0.1, 0.3, 1), printed)))).verdict
        self.assertEqual(curve(2.7), FALSE)
        self.assertEqual(curve(0.4), REPRODUCED)
        self.assertEqual(curve(0.4, (1e-2, 1e-4, 1e-6)), FALSE)

    def test_whole_training(self):
        def training(paper, sound):
            return claims_theory.t5(made((dict(reading="paper"), {"eps_training AP": paper}),
                                         (dict(reading="sound"), {"eps_training AP": sound}))).verdict
        self.assertEqual(training(175.0, 1.0), READING)
        self.assertEqual(training(1.0, 1.0), REPRODUCED)
        self.assertEqual(training(175.0, 2.0), NOT)


@support.needs_plots
class Cost(unittest.TestCase):
    def seconds(self, **by_method):
        return made(*((dict(config="tab-efficiency", method=m.replace("_", "-"), mode="materialised"),
                       {"seconds_per_tree": s}) for m, s in by_method.items()))

    def test_faster_than_paillier(self):
        self.assertEqual(claims_cost.e1(self.seconds(masked=1, paillier=6)).verdict, REPRODUCED)
        self.assertEqual(claims_cost.e1(self.seconds(masked=1, paillier=2)).verdict, NOT)

    def test_over_a_line_the_bytes_count_too(self):
        def run(method, seconds, sent, trees):
            return (dict(config="tab-efficiency", method=method, mode="materialised"),
                    {"seconds_per_tree": seconds, "wire_bytes": sent, "trees": trees})
        both = made(run("masked", 1, 500e6, 2), run("paillier", 11, 5e6, 1))
        with mock.patch.object(claims_cost, "CROSSINGS", Path("/nowhere")):
            found = claims_cost.e1(both)
            self.assertEqual(found.verdict, REPRODUCED)
            self.assertIn("below 196 Mbit/s", str(found))  # 8 * (250 - 5) MB in the 10 s between them
            self.assertNotIn("Mbit/s", str(claims_cost.e1(self.seconds(masked=1, paillier=6))))
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as kept:
            kept.write("dataset,latency_ms,rows,level_mbit,measured_masked_faster,measured_paillier_faster\n"
                       "adult,0.1,9,31.2,100 1000,10\nadult,50,9,33.9,,\nhiggs,0.1,9,,,\n")
            kept.flush()
            with mock.patch.object(claims_cost, "CROSSINGS", Path(kept.name)):
                text = str(claims_cost.e1(self.seconds(masked=1, paillier=6)))
        self.assertIn("31 to 34 Mbit/s (adult, modelled for latencies of 0.1 to 50 ms; measured at 0.1 ms: paillier was faster "
                      "at 10 Mbit/s, masked was faster at 100 1000 Mbit/s)", text)
        self.assertNotIn("higgs,", text)

    def test_collapsed_masked_is_no_timing(self):
        rows = made((dict(config="tab-efficiency"), {"seconds_per_tree": 0.01}),
                    (dict(config="tab-efficiency", method="paillier"), {"seconds_per_tree": 5}))
        self.assertEqual(claims_cost.e1(rows).verdict, NO_DATA)

    def test_order_of_the_dp_methods(self):
        self.assertEqual(claims_cost.e2(self.seconds(masked=3, xgb_ldp=1)).verdict, REPRODUCED)
        self.assertEqual(claims_cost.e2(self.seconds(masked=70, xgb_ldp=1)).verdict, NOT)
        self.assertEqual(claims_cost.e2(self.seconds(masked=0.5, xgb_ldp=1)).verdict, NOT)

    def test_bytes(self):
        def wire(counted):
            return claims_cost.e3(made((dict(config="tab-communication"), {
                "wire_bytes": counted, "wire_formula_bytes": 1.28e6}))).verdict
        self.assertEqual(wire(1.281e6), REPRODUCED)
        self.assertEqual(wire(2.0e6), NOT)

    def test_smm(self):
        self.assertEqual(claims_cost.e4(self.seconds(masked=1, smm=4)).verdict, REPRODUCED)
        self.assertEqual(claims_cost.e4(self.seconds(masked=1, smm=0.2)).verdict, NOT)


@support.needs_plots
class Attacks(unittest.TestCase):
    def test_labels(self):
        def label(strict, wide, subspace=None):
            rows = [(dict(config="fig-label-attack", attack="label-nn", eps_ap=e), {"attack_balanced_accuracy": v})
                    for e, v in ((0.5, strict), (8, wide))]
            if subspace:
                rows.append((dict(config="fig-label-attack", attack="label-subspace", eps_ap=0.5),
                             {"attack_balanced_accuracy": subspace}))
            return claims_attack.a1(made(*rows)).verdict
        self.assertEqual(label(0.51, 0.53), REPRODUCED)
        self.assertEqual(label(0.51, 0.53, 0.999), READING)
        self.assertEqual(label(0.987, 0.99), NOT)
        self.assertEqual(label(0.51, 0.90), NOT)

    def test_attributes(self):
        def attribute(minsum, likelihood):
            return claims_attack.a2(made(*(
                (dict(config="fig-attribute-attack", attack=f"attribute-{a}", eps_pp=8),
                 {"balanced_bit_match": v, "bit_match": 0.75, "bit_match_floor": 0.8})
                for a, v in (("minsum", minsum), ("likelihood", likelihood))))).verdict
        self.assertEqual(attribute(0.51, 0.55), REPRODUCED)
        self.assertEqual(attribute(0.51, 0.95), READING)
        self.assertEqual(attribute(0.97, 1.0), NOT)

    def test_attributes_name_the_floor(self):
        rows = [(dict(config="fig-attribute-attack", attack="attribute-minsum", eps_pp=e),
                 {"balanced_bit_match": 0.5, "bit_match": 0.76, "bit_match_floor": 0.85}) for e in (1, 8)]
        finding = claims_attack.a2(made(*rows))
        self.assertEqual(finding.verdict, REPRODUCED)
        self.assertIn("a guess without messages has 0.850", finding.why)

    def test_labels_name_the_stronger_attacks(self):
        why = claims_attack.a1(made(*(
            (dict(config="fig-label-attack", attack=a, eps_ap=0.5), {"attack_balanced_accuracy": v})
            for a, v in (("label-nn", 0.5), ("label-nn-decay", 0.99), ("label-subspace", 1.0))))).why
        self.assertIn("the paper's label-nn has balanced accuracy 0.500", why)
        self.assertIn("stronger attacks: label-nn-decay 0.990", why)

    def test_departures(self):
        def departure(attack, metric, gain):
            rows = [(dict(config="tab-deviation", attack=attack, params=p), {metric: v})
                    for p, v in (("", 0.52), ("deviation.pp_sigma2=0.1", 0.52 + gain))]
            return claims_attack.a3(made(*rows)).verdict
        self.assertEqual(departure("label-nn", "attack_accuracy", 0.001), REPRODUCED)
        self.assertEqual(departure("label-nn", "attack_accuracy", 0.2), FALSE)
        self.assertEqual(departure("attribute-likelihood", "bit_match", 0.2), NO_DATA)  # PP hurts itself only

    def test_sigma1_is_lossless(self):
        def finding(judge, without_sigma1, small_sigma2):
            return judge(made(*((dict(config="tab-deviation", params=p), {"test_auc": v}) for p, v in (
                ("", 0.9), ("deviation.pp_sigma1=0", without_sigma1), ("deviation.pp_sigma2=0.1", small_sigma2))))).verdict
        self.assertEqual(finding(claims_theory.u9, 0.9, 0.92), REPRODUCED)
        self.assertEqual(finding(claims_theory.u9, 0.9, 0.9), NOT)       # sigma2 must matter
        self.assertEqual(finding(claims_theory.u9, 0.901, 0.92), NOT)
        self.assertEqual(finding(claims_theory.t4, 0.9, 0.92), REPRODUCED)
        self.assertEqual(finding(claims_theory.t4, 0.9001, 0.92), NOT)

    def test_theorem1_against_its_bound(self):
        def finding(share, **changes):
            return claims_theory.t1(made((dict(**changes), {"thm1_deviation_share": share, "thm1_bound": 0.5}))).verdict
        self.assertEqual(finding(0.4), REPRODUCED)
        self.assertEqual(finding(0.6), NOT)
        self.assertEqual(finding(0.6, params="deviation.ap_c=100"), NO_DATA)

    def test_paillier_leaks_features(self):
        def leak(bits):
            return claims_attack.a4(made((dict(method="paillier", attack="attribute-sums"),
                                          {"balanced_bit_match": bits, "bit_match": 0.9, "bit_match_floor": 0.8}),
                                         (dict(method="paillier", attack="leaf"), {"attack_auc": 0.2})))
        self.assertEqual(leak(0.95).verdict, REPRODUCED)
        self.assertEqual(leak(0.51).verdict, NOT)  # whatever the bit match is that is not balanced
        self.assertIn("AUC 0.800 up to the sign", leak(0.95).note)


@support.needs_plots
class Empty(unittest.TestCase):
    def test_without_rows_every_claim_has_no_data(self):
        for claim, finding in claims.judge_all(made((dict(method="local"), {"peak_rss": 1}))):
            self.assertEqual(finding.verdict, NO_DATA, claim.id)
            self.assertTrue(finding.why)

    def test_all_23_claims_are_there(self):
        ids = [c.id for c in claims.CLAIMS]
        wanted = [f"{k}{i}" for k, n in (("U", 9), ("T", 5), ("E", 4), ("A", 4), ("G", 1)) for i in range(1, n + 1)]
        self.assertEqual(ids, wanted)


if __name__ == "__main__":
    unittest.main()
