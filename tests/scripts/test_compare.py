import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import support
from fake_results import Fake


@support.needs_plots
class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)
        self.write("one", 0.0)

    def write(self, name, more, dataset="adult"):
        """nonprivate .90 .92 .94; masked .80 .82 .81 at eps_ap .5 and .85 .86 .90 at 8, all of it plus `more`."""
        fake = Fake()
        for repeat, values in enumerate([(0.90, 0.80, 0.85), (0.92, 0.82, 0.86), (0.94, 0.81, 0.90)]):
            top, strict, wide = (value + more for value in values)
            fake.metric(fake.run("c", "nonprivate", dataset, repeat=repeat), "test_auc", top)
            for eps, value in ((0.5, strict), (8, wide)):
                run = fake.run("c", "masked", dataset, repeat=repeat, eps_ap=eps)
                fake.metric(run, "test_auc", value)
                fake.metric(run, "wire_bytes", 1e6, unit="bytes")
        fake.write(self.dir / name / "results.csv")

    def told(self, *arguments):
        import compare
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            compare.main([str(a) for a in arguments])
        lines = out.getvalue().splitlines()
        self.assertTrue(all(len(line) <= 80 for line in lines[3:]), lines)
        return lines

    def test_two_methods(self):
        """Differences -.10 -.10 -.13 and -.05 -.06 -.04: by hand as in test_summary; Holm doubles the smaller p."""
        lines = self.told("masked", "nonprivate", "--results", self.dir / "one")
        self.assertEqual(lines[4:], [
            "c adult",
            "  eps_AP 0.5       0.8100   0.9200  -0.1100   -0.1530 -0.0670   3  .0082  .0163",
            "  eps_AP 8         0.8700   0.9200  -0.0500   -0.0748 -0.0252   3  .0131  .0163"])

    def test_two_folders(self):
        self.write("two", 0.25)
        lines = self.told(self.dir / "one", self.dir / "two")
        self.assertIn("c adult masked", lines)
        self.assertRegex("\n".join(lines), r"c adult nonprivate\n +0.9200 +1.1700 +-0.2500 +-0.2500 -0.2500 +3 ")

    def test_runs_that_two_configs_share_are_compared_once(self):
        runs = self.dir / "one" / "runs.csv"
        lines = runs.read_text().splitlines()
        runs.write_text("\n".join(lines + [line.replace(",c,", ",d,", 1) for line in lines[1:]]) + "\n")
        lines = self.told("masked", "nonprivate", "--results", self.dir / "one")
        self.assertEqual(len(lines), 7)
        self.assertTrue(lines[-1].endswith(".0131  .0163"), lines)

    def test_long_settings_have_a_line_of_their_own(self):
        fake = Fake()
        for value in ("1073741824", "5000000"):
            for repeat in range(2):
                for method, auc in (("masked", 0.8), ("local", 0.7)):
                    params = {"masked.memory_limit": value, "data.rows": 500} if method == "masked" else {"data.rows": 500}
                    fake.metric(fake.run("c", method, repeat=repeat, params=params), "test_auc", auc + repeat / 100)
        fake.write(self.dir / "long" / "results.csv")
        lines = self.told("masked", "local", "--results", self.dir / "long")
        self.assertIn("  memory_limit 1073741824", lines)
        self.assertIn("  memory_limit 5000000", lines)

    def test_what_cannot_be_compared_is_one_line(self):
        self.write("elsewhere", 0.1, "bank")
        for arguments, words in ((("masked", "smm"), "'smm' is neither a results folder nor a method in .*: masked, nonprivate"),
                                 (("masked", "nonprivate", "--metric", "nonsense"), "no finite value of 'nonsense'.*test_auc"),
                                 (("masked", "nonprivate", "--metric", "wire_bytes"), "no setting with shared seeds"),
                                 ((self.dir / "one", self.dir / "elsewhere"), "no setting with shared seeds")):
            with self.assertRaisesRegex(SystemExit, words):
                self.told(*arguments, "--results", self.dir / "one")


if __name__ == "__main__":
    unittest.main()
