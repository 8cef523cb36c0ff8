"""scripts/gpu_model.py: its counts are those of the docs and within what the tests named DeviceBudget allow."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import gpu_model  # noqa: E402


class GpuModel(unittest.TestCase):
    def test_counts_are_those_of_the_docs(self):
        lines = (ROOT / "docs/profiling.md").read_text().splitlines()
        rows = {"search": "| nonprivate, LDP", "fused": "| PP of masked, fused", "collapsed": "| PP of masked, collapsed",
                "noise": "| PP of masked, materialised", "masks": "| AP of masked, materialised"}
        for name, start in rows.items():
            line = next(line for line in lines if line.startswith(start))
            cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
            launches, copies, syncs = ([int(n) for n in re.findall(r"\d+", cell)] + [0] for cell in cells)
            self.assertEqual(gpu_model.COUNTS[name], (launches[0], copies[0], syncs[0], launches[1], copies[1]), line)

    def test_counts_are_within_the_budgets(self):
        source = (ROOT / "tests/device/device_budget_test.cpp").read_text()
        limits = {"search": "kSearch", "fused": "kMaskedPassive", "collapsed": "kMaskedPassive", "masks": "masks",
                  "noise": "noise"}
        for name, limit in limits.items():
            numbers = re.search(rf"Limits {limit}{{([^}}]*)}}", source).group(1).split(",")
            allowed = [int(n) for n in numbers] + [0] * (5 - len(numbers))
            self.assertTrue(all(a <= b for a, b in zip(gpu_model.COUNTS[name], allowed)), (name, allowed))

    def test_more_work_takes_longer_and_a_faster_gpu_shorter(self):
        for mode in gpu_model.MODES:
            seconds = [[sum(gpu_model.tree_seconds(mode, shape, gpu).values()) for gpu in gpu_model.GPUS.values()]
                       for shape in gpu_model.SHAPES.values()]
            for a100, h100 in seconds:
                self.assertLess(h100, a100)
            self.assertEqual(seconds, sorted(seconds))

    def test_a_verdict_for_each_case(self):
        self.assertEqual(gpu_model.verdict(1, 10, 2), "pays")
        self.assertEqual(gpu_model.verdict(1, 2.5, 2), "may pay")
        self.assertEqual(gpu_model.verdict(3, 2.5, 2), "does not")

    def test_every_line_says_that_it_is_a_model(self):
        out = subprocess.run([sys.executable, str(ROOT / "scripts/gpu_model.py")], capture_output=True, text=True,
                             check=True).stdout
        self.assertIn("A MODEL, not a measurement", out)
        self.assertEqual(len(out.splitlines()), 2 + 3 * len(gpu_model.MODES))


if __name__ == "__main__":
    unittest.main()
