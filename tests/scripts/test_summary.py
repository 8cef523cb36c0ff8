import csv
import tempfile
import unittest
from pathlib import Path

import support
from fake_results import Fake


@support.needs_plots
class Summary(unittest.TestCase):
    """masked at two budgets and nonprivate, three repeats, numbers small enough to do by hand."""

    @classmethod
    def setUpClass(cls):
        fake = Fake()
        for repeat, (top, strict, wide) in enumerate([(0.90, 0.80, 0.85), (0.92, 0.82, 0.86), (0.94, 0.81, 0.90)]):
            fake.metric(fake.run("c", "nonprivate", repeat=repeat), "test_auc", top)
            fake.metric(fake.run("c", "masked", repeat=repeat, eps_ap=0.5), "test_auc", strict)
            fake.metric(fake.run("c", "masked", repeat=repeat, eps_ap=8), "test_auc", wide)
        for repeat, value in ((0, 0.70), (1, 0.72), (7, 0.60)):
            fake.metric(fake.run("c", "xgb-ldp", repeat=repeat, eps_ap=8), "test_auc", value)
        fake.metric(fake.run("c", "federboost", repeat=2), "test_auc", 0.6)
        fake.metric(fake.run("c", "local", repeat=9), "test_auc", 0.5)
        fake.metric(fake.run("c", "local", repeat=8), "test_auc", "nan")
        fake.metric(fake.run("c", "local", repeat=9), "eps_other", 2, party="AP", scope="tree")
        fake.metric(fake.run("c", "local", repeat=9), "eps", 2, party="AP", view="wire")
        from maskplots import summary
        with tempfile.TemporaryDirectory() as folder:
            summary.write(support.results_of(fake), Path(folder))
            cls.rows, cls.tests = (list(csv.DictReader((Path(folder) / name).read_text().splitlines()))
                                   for name in ("summary.csv", "comparisons.csv"))

    def pick(self, method, eps=""):
        found = [r for r in self.rows if (r["method"], r["eps_ap"]) == (method, eps)]
        self.assertEqual(len(found), 1, (method, eps))
        return found[0]

    def compared(self, method, eps, reference, reference_eps=""):
        cell, other = self.pick(method, eps)["cell"], self.pick(reference, reference_eps)["cell"]
        found = [r for r in self.tests if (r["cell"], r["reference_cell"]) == (cell, other)]
        self.assertEqual(len(found), 1, (method, eps, reference))
        self.assertEqual((found[0]["method"], found[0]["reference"]), (method, reference))
        return found[0]

    def test_what_is_neither_compared_nor_described_is_left_out(self):
        self.assertEqual({r["metric"] for r in self.rows}, {"test_auc"})

    def test_mean_deviation_and_n(self):
        row = self.pick("masked", "0.5")
        self.assertAlmostEqual(float(row["mean"]), 0.81)
        self.assertAlmostEqual(float(row["sd"]), 0.01)
        self.assertEqual(row["n"], "3")

    def test_a_single_repeat_has_no_deviation_and_nan_is_left_out(self):
        row = self.pick("local")
        self.assertEqual((row["mean"], row["sd"], row["n"]), ("0.5", "", "1"))

    def test_paired_against_nonprivate(self):
        """Differences -.10 -.10 -.13: mean -.11, sd .0173205, t = -11.0, p = 1 - 11/sqrt(2 + 121)."""
        row = self.compared("masked", "0.5", "nonprivate")
        self.assertAlmostEqual(float(row["mean_difference"]), -0.11)
        self.assertEqual(row["pairs"], "3")
        self.assertAlmostEqual(float(row["p_paired_t"]), 1 - 11 / 123 ** 0.5, places=6)
        self.assertEqual(float(row["p_wilcoxon"]), 2 / 8)

    def test_only_shared_seeds_are_paired_and_only_with_the_same_budget(self):
        row = self.compared("xgb-ldp", "8", "masked", "8")
        self.assertEqual(row["pairs"], "2")
        self.assertAlmostEqual(float(row["mean_difference"]), -0.145)
        strict = self.pick("masked", "0.5")["cell"]
        self.assertFalse([r for r in self.tests if r["method"] == "xgb-ldp" and r["reference_cell"] == strict])

    def test_no_seed_or_a_single_one_in_common_gives_no_comparison(self):
        self.assertFalse([r for r in self.tests if {r["method"], r["reference"]} & {"local", "federboost"}])

    def test_a_method_without_budget_is_compared_with_every_budget(self):
        for eps in ("0.5", "8"):
            self.compared("masked", eps, "nonprivate")

    def test_every_pair_of_methods_once_masked_too(self):
        """masked's rows say cpu-avx2 where others say cpu: the same machine."""
        budget = {r["cell"]: r["eps_ap"] for r in self.rows}
        compared = sorted((r["method"], budget[r["cell"]], r["reference"]) for r in self.tests)
        self.assertEqual(compared, [("masked", "0.5", "nonprivate"), ("masked", "8", "nonprivate"),
                                    ("xgb-ldp", "8", "masked"), ("xgb-ldp", "8", "nonprivate")])

    def test_interval_and_holm(self):
        """t(2) at .975 is 4.302653: -.11 +- 4.302653 * .0173205/sqrt(3). Four tests in the family."""
        row = self.compared("masked", "0.5", "nonprivate")
        self.assertAlmostEqual(float(row["ci_low"]), -0.11 - 0.0430265, places=6)
        self.assertAlmostEqual(float(row["ci_high"]), -0.11 + 0.0430265, places=6)
        family = sorted((float(test["p_paired_t"]), float(test["p_holm"])) for test in self.tests)
        self.assertEqual(len(family), 4)
        least = 0.0
        for rank, (p, holm) in enumerate(family):
            least = max(least, min(1.0, (4 - rank) * p))
            self.assertAlmostEqual(holm, least, places=6)


if __name__ == "__main__":
    unittest.main()
