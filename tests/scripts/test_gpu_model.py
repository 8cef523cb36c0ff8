"""scripts/gpu_model.py: it adds up what device_counts counts, and says everywhere that it is a model."""
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import gpu_model  # noqa: E402

COUNTS = dict(rows=1000, candidates=30, launches=100, copies=10, bytes=10**6, synchronisations=5, blocks=4, cells=10**6,
              host_seconds=.001)
PROGRAM = pathlib.Path(os.environ.get("MASKBENCH_BINARY", ROOT / "build/maskbench")).parent / "device_counts"


class GpuModel(unittest.TestCase):
    def test_it_is_the_sum_of_what_was_counted(self):
        gpu = gpu_model.GPUS["A100"]
        parts = gpu_model.tree_seconds("fused", COUNTS, 7, gpu)
        self.assertAlmostEqual(parts["calls"], 100 * 4e-6 + 10 * 7e-6 + 5 * 10e-6)
        self.assertAlmostEqual(parts["copies"], 10**6 / 25e9)
        self.assertEqual(parts["host"], .001)
        normals = .5e6 * 44 / (108 * 128 * 1.41e9 * .7)
        self.assertGreater(parts["kernels"], normals)
        self.assertLess(parts["kernels"], 2 * normals)

    def test_more_work_takes_longer_and_a_faster_gpu_shorter(self):
        for mode in gpu_model.MODES:
            a100, h100 = (gpu_model.tree_seconds(mode, COUNTS, 7, gpu) for gpu in gpu_model.GPUS.values())
            self.assertLess(sum(h100.values()), sum(a100.values()))
            more = gpu_model.tree_seconds(mode, gpu_model.scaled(COUNTS, 10), 7, gpu_model.GPUS["A100"])
            self.assertTrue(all(more[part] >= a100[part] for part in more))

    def test_a_block_more_is_three_launches_and_a_copy(self):
        more = gpu_model.scaled(COUNTS, 2)
        self.assertEqual((more["launches"], more["copies"], more["rows"]), (112, 14, 2000))

    def test_a_verdict_for_each_case(self):
        self.assertEqual([gpu_model.verdict(s, 1) for s in (.5, .9, 1.2, 2)], ["pays", "even", "even", "does not"])

    @unittest.skipUnless(PROGRAM.exists(), "device_counts is not built")
    def test_one_command_counts_and_says_that_it_is_a_model(self):
        out = subprocess.run([sys.executable, str(ROOT / "scripts/gpu_model.py"), "--counts", str(PROGRAM), "--shape", "adult"],
                             capture_output=True, text=True, check=True).stdout
        self.assertIn("A MODEL, not a measurement", out)
        self.assertEqual(len(out.splitlines()), 2 + len(gpu_model.MODES))


if __name__ == "__main__":
    unittest.main()
