import math
import unittest

import support

if support.HAVE_PLOTS:
    from maskplots import stats


@support.needs_plots
class Moments(unittest.TestCase):
    def test_mean_and_sample_deviation(self):
        self.assertAlmostEqual(stats.mean([0.9, 0.8, 0.85]), 0.85)
        self.assertAlmostEqual(stats.deviation([0.9, 0.8, 0.85]), 0.05)
        self.assertEqual(stats.deviation([0.9]), 0.0)


@support.needs_plots
class PairedT(unittest.TestCase):
    def test_one_degree_of_freedom_is_the_arc_tangent(self):
        self.assertAlmostEqual(stats.paired_t([1, 3]), 1 - 2 / math.pi * math.atan(2), places=12)

    def test_two_degrees_of_freedom_have_a_closed_form(self):
        t = 2 * math.sqrt(3)
        self.assertAlmostEqual(stats.paired_t([1, 2, 3]), 1 - t / math.sqrt(2 + t * t), places=12)

    def test_students_sleep_data(self):
        """The data of Student's paper: t = 4.0621, 9 degrees of freedom, p = .002833 in R's t.test."""
        gain = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
        self.assertAlmostEqual(stats.paired_t(gain), 0.002833, places=6)

    def test_degenerate_samples(self):
        self.assertIsNone(stats.paired_t([0.1]))
        self.assertEqual(stats.paired_t([0.0, 0.0]), 1.0)
        self.assertEqual(stats.paired_t([0.5, 0.5]), 0.0)


@support.needs_plots
class Wilcoxon(unittest.TestCase):
    def test_all_of_one_sign(self):
        self.assertEqual(stats.wilcoxon([1, 2, 3, 4, 5]), 2 / 32)
        self.assertEqual(stats.wilcoxon([-1, -2, -3, -4, -5]), 2 / 32)

    def test_one_against(self):
        self.assertEqual(stats.wilcoxon([-1, 2, 3, 4, 5]), 4 / 32)

    def test_tabled_critical_value(self):
        """n = 10, W = 8 is the two-sided 5 % point of the tables: p = .0488."""
        signs = [1, 1, -1, 1, -1, 1, 1, 1, 1, 1]  # negative ranks 3 + 5 = 8
        p = stats.wilcoxon([s * (i + 1) for i, s in enumerate(signs)])
        self.assertAlmostEqual(p, 50 / 1024, places=12)

    def test_ties_and_zeros(self):
        self.assertEqual(stats.wilcoxon([1, 1, -1]), 1.0)
        self.assertEqual(stats.wilcoxon([0.0, 1, 1, 1]), 2 / 8)
        self.assertEqual(stats.wilcoxon([0.0, 0.0]), 1.0)
        self.assertIsNone(stats.wilcoxon([]))

    def test_agrees_with_enumeration(self):
        values = [0.3, -0.1, 0.7, 0.7, -0.2, 0.5]
        ranks = stats._doubled_ranks([abs(v) for v in values])
        seen = sum(r for v, r in zip(values, ranks) if v > 0)
        low = min(seen, sum(ranks) - seen)
        hits = sum(sum(r for i, r in enumerate(ranks) if mask >> i & 1) <= low for mask in range(64))
        self.assertEqual(stats.wilcoxon(values), min(1.0, 2 * hits / 64))


if __name__ == "__main__":
    unittest.main()
