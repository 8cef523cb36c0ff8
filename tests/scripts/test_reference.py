import csv
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
import reference

VALUE = {"run": "a", "round": "", "metric": "test_auc", "value": "0.75", "unit": "", "status": "ok", "reason": ""}


def changed(**cells):
    return [{**VALUE, **cells}]


class Differences(unittest.TestCase):
    def test_none_between_equals(self):
        self.assertEqual(reference.differences([VALUE], changed()), [])

    def test_an_exact_metric_has_no_tolerance(self):
        found = reference.differences([VALUE], changed(value="0.7500000000000001"))
        self.assertEqual(found, ["a test_auc : 0.75 in the reference, now 0.7500000000000001"])

    def test_what_passed_through_libm_has_one(self):
        noise = changed(metric="noise_sigma", value="1.5")
        self.assertEqual(reference.differences(noise, changed(metric="noise_sigma", value="1.5000000001")), [])
        self.assertEqual(len(reference.differences(noise, changed(metric="noise_sigma", value="1.50000001"))), 1)
        self.assertEqual(len(reference.differences(noise, changed(metric="noise_sigma", value=""))), 1)

    def test_missing_added_and_skipped_values_are_told(self):
        self.assertEqual(reference.differences([VALUE], []), ["only in the reference: a test_auc "])
        self.assertEqual(reference.differences([], [VALUE]), ["only in the fresh run: a test_auc "])
        self.assertEqual(len(reference.differences([VALUE], changed(status="skip"))), 1)

    def test_what_is_left_out_of_results(self):
        names = ["config", *VALUE, "attack", "backend", "commit", "cpu", "threads", "compiler"]
        rows = [{**VALUE, "attack": "none"}, {**VALUE, "attack": "none", "metric": "tree_seconds", "unit": "s"},
                {**VALUE, "attack": "none", "metric": "peak_rss", "unit": "bytes"}, {**VALUE, "attack": "label-nn"}]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.csv"
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, names, restval="x")
                writer.writeheader()
                writer.writerows(rows)
            self.assertEqual(reference.deterministic_rows(path), [{**VALUE, "config": "x", "attack": "none"}])


class Committed(unittest.TestCase):
    def test_is_small_and_whole(self):
        for name in reference.SWEEPS:
            runs = reference.read_csv(reference.FOLDER / name / "runs.csv")
            values = reference.read_csv(reference.FOLDER / name / "values.csv")
            self.assertEqual({row["run"] for row in runs}, {row["run"] for row in values})
            self.assertTrue(any(row["metric"] == "test_auc" for row in values))
            self.assertEqual({row["status"] for row in values} - {"ok", "skip"}, set())
        self.assertLess(sum(path.stat().st_size for path in reference.FOLDER.rglob("*.csv")), 500_000)


if __name__ == "__main__":
    unittest.main()
