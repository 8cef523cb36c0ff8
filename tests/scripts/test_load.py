import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from fake_results import Fake
from maskplots import results

needs_pandas = unittest.skipUnless(support.have("pandas"), "no pandas here: apt-get install python3-pandas")


def example():
    """masked at two budgets and local, three repeats; one run failed; an eps of each party."""
    fake = Fake()
    for repeat in range(3):
        fake.metric(fake.run("c", "local", repeat=repeat), "test_auc", 0.7)
        for eps in (0.5, 8):
            run = fake.run("c", "masked", repeat=repeat, eps_ap=eps, params={
                "train.rounds": 3, "train.gbdt": "true", "data.rows": 500, "masked.orient": "left"})
            for at in range(3):
                fake.metric(run, "test_auc", 0.6 + at / 10, at)
            fake.metric(run, "test_auc", 0.8)
            fake.metric(run, "eps", eps, party="AP", view="stated", scope="training", delta="0.001")
            fake.metric(run, "eps", "inf", party="PP", view="stated", scope="training", delta="1e-05", reason="in clear")
            fake.metric(run, "attack_auc", "", status="skip", reason="no attack")
    fake.failed(fake.run("c", "smm"), "no basis")
    return fake


@needs_pandas
class Load(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)
        example().write(self.dir / "results.csv")

    def test_columns_have_their_types(self):
        from maskplots import load
        runs, numbers = load(self.dir)
        kinds = {name: str(dtype) for name, dtype in numbers.dtypes.items()}
        for name, kind in {"value": "float64", "delta": "float64", "round": "Int64", "eps_ap": "float64", "repeat": "Int64",
                           "data.rows": "float64", "train.gbdt": "boolean", "method": "category", "metric": "category",
                           "party": "category", "run_scope": "category", "run": "string"}.items():
            self.assertEqual(kinds[name], kind, name)
        self.assertNotIn("object", kinds.values())
        self.assertEqual(set(runs.columns) - {"run"}, {name.removeprefix("run_") for name in numbers.columns
                                                       if name in runs.columns or name.startswith("run_")} - {"run"})

    def test_runs_and_numbers_are_joined(self):
        from maskplots import load
        runs, numbers = load(self.dir)
        self.assertEqual((len(runs), len(numbers)), (10, 3 + 6 * 7))
        final = numbers[(numbers.metric == "test_auc") & numbers["round"].isna()]
        means = final.groupby(["method", "eps_ap"], observed=True, dropna=False).value.agg(["mean", "count"])
        self.assertAlmostEqual(means.loc[("masked", 8.0), "mean"], 0.8)
        self.assertEqual(means.loc[("masked", 8.0), "count"], 3)
        eps = numbers[(numbers.metric == "eps") & (numbers.party == "AP")]
        self.assertEqual(set(eps.scope), {"training"})
        self.assertEqual(set(eps.run_scope), {"message"})
        self.assertEqual(set(numbers[numbers.party == "PP"].value), {float("inf")})
        self.assertTrue(numbers[numbers.status == "skip"].value.isna().all())
        self.assertEqual(runs[runs.status == "error"].reason.tolist(), ["no basis"])

    def test_scale_and_provenance_are_attached(self):
        from maskplots import load
        for table in load(self.dir):
            self.assertEqual(table.attrs["scale"], {"datasets": {"adult": ["file"]}, "rows": [500], "rounds": [3], "repeats": 3,
                                                    "readings": ["paper"], "runs": 10})
            self.assertEqual(table.attrs["provenance"]["commit"], ["0123abc"])
            self.assertEqual(table.attrs["folders"], [str(self.dir)])

    def test_folders_of_folders_and_the_same_twice(self):
        from maskplots import load
        for name in ("one", "two"):
            example().write(self.dir / "many" / name / "results.csv")
        self.assertEqual(len(load(self.dir / "many").numbers), len(load(self.dir).numbers))

    def test_mixed_data_and_damage_are_refused(self):
        from maskplots import load
        fake = example()
        fake.metric(fake.run("c", "local", repeat=8, sha256="cd" * 32), "test_auc", 0.7)
        fake.write(self.dir / "results.csv")
        with self.assertRaisesRegex(results.BadResults, "different data"):
            load(self.dir)
        whole = example().write(self.dir / "results.csv").read_text()
        for text, words in (("torn", "results.csv: "), (whole + "r9,,test_auc\n", "results.csv: .*run 'r9' is not in runs.csv"),
                            (whole.replace(",0.8,", ",abc,"), "abc.*--resume"), (whole + "a" * 99 + "," * 40, "results.csv: ")):
            (self.dir / "results.csv").write_text(text)
            with self.assertRaisesRegex(results.BadResults, words):
                load(self.dir)

    def test_the_example_runs(self):
        done = subprocess.run([sys.executable, support.ROOT / "scripts" / "example_load.py", self.dir],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("repeats: 3", done.stdout)
        self.assertRegex(done.stdout, r"8.0 +0.8 +\S+ +3 +8 +inf")

    def test_the_example_keeps_attacks_apart_and_finds_the_eps_of_methods_without_a_budget(self):
        fake = example()
        for party, eps in (("AP", "inf"), ("PP", 2.5)):
            for repeat in range(3):
                fake.metric(fake.run("c", "local", repeat=repeat), "eps", eps, party=party, view="stated")
        fake.metric(fake.run("c", "masked", eps_ap=8, attack="label-nn"), "test_auc", 0.1)
        fake.write(self.dir / "results.csv")
        done = subprocess.run([sys.executable, support.ROOT / "scripts" / "example_load.py", self.dir],
                              capture_output=True, text=True)
        self.assertRegex(done.stdout, r"local +NaN +0.7 +\S+ +3 +inf +2.5")
        self.assertRegex(done.stdout, r"8.0 +0.8 +\S+ +3 +8 +inf")

    def test_the_example_says_in_a_line_what_is_missing(self):
        done = subprocess.run([sys.executable, support.ROOT / "scripts" / "example_load.py", self.dir / "nothing"],
                              capture_output=True, text=True)
        self.assertRegex(done.stderr, r"^example_load.py: .*no results.csv in it.*\n$")

    def test_the_package_can_be_installed_offline(self):
        if not support.have("pip", "setuptools", "wheel"):
            self.skipTest("no pip here: apt-get install python3-pip python3-setuptools")
        source, target = self.dir / "source", self.dir / "installed"
        shutil.copytree(support.ROOT / "scripts", source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps",
                               "--no-index", "--disable-pip-version-check", "--target", target, source],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        code = f"import maskplots; assert {str(target)!r} in maskplots.__file__; print(len(maskplots.load({str(self.dir)!r})[0]))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=target,
                              env={"PYTHONPATH": str(target)})
        self.assertEqual((done.stdout.strip(), done.returncode), ("10", 0), done.stderr)


if __name__ == "__main__":
    unittest.main()
