import random
import unittest

import support
from fake_results import Fake


@support.needs_plots
class Variance(unittest.TestCase):
    def test_the_three_levels_are_told_apart(self):
        """200 partitions of sd .03, 4 splits each of sd .01, 4 noises each of sd .02: the estimates' own errors are under
        5 %, 4 % and 2 % of them."""
        from maskplots import stats
        draw = random.Random(5).gauss
        groups = []
        for _ in range(200):
            partition, group = draw(0, 0.03), []
            for _ in range(4):
                split = draw(0, 0.01)
                group.append([partition + split + draw(0, 0.02) for _ in range(4)])
            groups.append(group)
        found = stats.nested_deviations(groups)
        for value, truth, error in zip(found, (0.03, 0.01, 0.02), (0.006, 0.004, 0.002)):
            self.assertAlmostEqual(value, truth, delta=error)

    def test_rows_need_two_of_each(self):
        from maskplots import fig_variance
        fake = Fake()
        for partition in (1, 2):
            for split in (1, 2):
                for noise in (1, 2):
                    seeds = dict(seed_partition=partition, seed_split=split, seed_noise=noise)
                    fake.metric(fake.run("tab-variance", "masked", **seeds), "test_auc", 0.8 + 0.01 * partition)
                    if noise == 1:
                        fake.metric(fake.run("tab-variance", "local", **seeds), "test_auc", 0.7)
        rows = fig_variance.rows_of(support.results_of(fake).of_config("tab-variance"))
        self.assertEqual([row[0] for row in rows], ["masked"])
        partition, split, noise = rows[0][5]
        self.assertAlmostEqual(partition, 0.01 / 2 ** 0.5, places=9)
        self.assertEqual((split, noise), (0, 0))


if __name__ == "__main__":
    unittest.main()
