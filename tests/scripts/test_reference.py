import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
import fake_results
import reference
from maskplots.schema import NUMBER_COLUMNS, RUN_COLUMNS

VALUE = {**dict.fromkeys(NUMBER_COLUMNS, ""), "run": "a", "metric": "test_auc", "value": "0.75", "status": "ok"}


def changed(**cells):
    return [{**VALUE, **cells}]


class Differences(unittest.TestCase):
    def test_none_between_equals(self):
        self.assertEqual(reference.differences([VALUE], changed()), [])

    def test_an_exact_metric_has_no_tolerance(self):
        found = reference.differences([VALUE], changed(value="0.7500000000000001"))
        self.assertEqual(found, ["a test_auc: 0.75 in the reference, now 0.7500000000000001"])

    def test_what_passed_through_libm_has_one(self):
        noise = changed(metric="noise_sigma", value="1.5")
        self.assertEqual(reference.differences(noise, changed(metric="noise_sigma", value="1.5000000001")), [])
        self.assertEqual(len(reference.differences(noise, changed(metric="noise_sigma", value="1.50000001"))), 1)
        self.assertEqual(len(reference.differences(noise, changed(metric="noise_sigma", value=""))), 1)

    def test_missing_added_and_skipped_values_are_told(self):
        self.assertEqual(reference.differences([VALUE], []), ["only in the reference: a test_auc"])
        self.assertEqual(reference.differences([], [VALUE]), ["only in the fresh run: a test_auc"])
        self.assertEqual(len(reference.differences([VALUE], changed(status="skip"))), 1)

    def test_what_a_number_is_about_names_it(self):
        for name in ("party", "kind", "view", "queries", "scope", "delta"):
            found = reference.differences([VALUE], changed(**{name: "x"}))
            self.assertEqual(found, ["only in the fresh run: a test_auc x", "only in the reference: a test_auc"])

    def test_what_is_left_out_of_results(self):
        runs = [{**dict.fromkeys(RUN_COLUMNS, "x"), "run": "a", "attack": "none"},
                {**dict.fromkeys(RUN_COLUMNS, "x"), "run": "b", "attack": "label-nn"}]
        numbers = [VALUE, {**VALUE, "metric": "tree_seconds", "unit": "s"}, {**VALUE, "run": "b"},
                   {**VALUE, "metric": "peak_rss", "unit": "bytes"}]
        with tempfile.TemporaryDirectory() as folder:
            fake_results.write_csv(Path(folder) / "runs.csv", RUN_COLUMNS, runs)
            fake_results.write_csv(Path(folder) / "results.csv", NUMBER_COLUMNS, numbers)
            kept_runs, kept = reference.deterministic_rows(folder)
            self.assertEqual(kept, [VALUE])
            self.assertEqual([row["run"] for row in kept_runs], ["a"])
            self.assertEqual(set(RUN_COLUMNS) - kept_runs[0].keys(), reference.MACHINE)

    def test_a_new_key_at_its_default_changes_nothing_and_a_changed_one_does(self):
        run = {"run": "b7", "config": "c", "train.rounds": reference.DEFAULTS["train.rounds"]}
        numbers = [{**VALUE, "run": "b7"}]
        runs, kept = reference.numbered([run], numbers)
        self.assertEqual((runs, kept[0]["run"]), ([{"run": "1", "config": "c"}], "1"))
        runs, _ = reference.numbered([{**run, "train.rounds": "3"}], numbers)
        self.assertEqual(runs, [{"run": "1", "config": "c", "train.rounds": "3"}])


class Committed(unittest.TestCase):
    def test_is_small_and_whole(self):
        for name in reference.SWEEPS:
            runs = reference.read_csv(reference.FOLDER / name / "runs.csv")
            values = reference.read_csv(reference.FOLDER / name / "results.csv")
            self.assertEqual({row["run"] for row in runs}, {row["run"] for row in values})
            self.assertTrue(any(row["metric"] == "test_auc" for row in values))
            self.assertEqual({row["status"] for row in values} - {"ok", "skip"}, set())
        self.assertLess(sum(path.stat().st_size for path in reference.FOLDER.rglob("*.csv")), 500_000)


if __name__ == "__main__":
    unittest.main()
