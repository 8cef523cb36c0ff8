"""scripts/profile.sh and profile_figure.py on a sample of nsys's sums.

The sample has the columns that the manual of Nsight Systems gives for `nsys stats --format csv`; its numbers are made
up. It is a sample of the format, not a measurement: nobody has run nsys on this program yet.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMES = "Time (%),Total Time (ns),{count},Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns)"
SAMPLE = {
    "nvtx_sum": TIMES.format(count="Instances") + """,Style,Range
40.0,400000000,2,200000000,200000000,1,1,0,StartEnd,maskbench:AP tree
30.0,300000000,6,50000000,50000000,1,1,0,StartEnd,maskbench:PP level
20.0,200000000,6,33333333,33333333,1,1,0,StartEnd,maskbench:PP offer
9.0,90000000,6,15000000,15000000,1,1,0,StartEnd,maskbench:AP own splits
1.0,10000000,5,2000000,2000000,1,1,0,PushPop,other:not ours
""",
    "cuda_api_sum": TIMES.format(count="Num Calls") + """,Name
60.0,60000000,12,5000000,5000000,1,1,0,cudaStreamSynchronize
40.0,40000000,120,333333,333333,1,1,0,cudaLaunchKernel_v7000
""",
    "cuda_gpu_kern_sum": TIMES.format(count="Instances") + """,Name
70.0,70000000,12,5833333,5833333,1,1,0,"maskbench::kernels::device::noise(maskbench::kernels::device::NoiseTask, int *)"
20.0,20000000,12,1666666,1666666,1,1,0,"void maskbench::kernels::device::mask<int>(maskbench::kernels::device::MaskParams, const int *, T1 *, T1 *)"
6.0,6000000,12,500000,500000,1,1,0,"void cub::CUB_300001_SM_800::DeviceScanKernel<int>(T1)"
4.0,4000000,12,333333,333333,1,1,0,"maskbench::kernels::device::histogram(maskbench::kernels::device::HistogramParams)"
""",
    "cuda_gpu_mem_time_sum": TIMES.format(count="Count") + """,Operation
75.0,3000000,24,125000,125000,1,1,0,[CUDA memcpy Host-to-Device]
25.0,1000000,12,83333,83333,1,1,0,[CUDA memset]
""",
}


def write_sample(folder):
    for report, text in SAMPLE.items():
        pathlib.Path(folder, f"sample_{report}.csv").write_text(text)


def figure(folder):
    return subprocess.run([sys.executable, str(ROOT / "scripts/profile_figure.py"), folder, "sample"],
                          capture_output=True, text=True)


class ProfileFigure(unittest.TestCase):
    def test_parts_of_the_four_bars(self):
        with tempfile.TemporaryDirectory() as folder:
            write_sample(folder)
            done = figure(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"{folder}/sample.csv", newline="") as file:
                parts = {(r["bar"], r["part"]): (float(r["seconds"]), int(r["count"])) for r in csv.DictReader(file)}
            svg = pathlib.Path(folder, "sample.svg").read_text()
        self.assertEqual(parts, {
            ("host", "PP offer"): (.2, 6), ("host", "AP own splits"): (.09, 6),
            ("API", "cudaStreamSynchronize"): (.06, 12), ("API", "cudaLaunchKernel"): (.04, 120),
            ("copies", "memcpy Host-to-Device"): (.003, 24), ("copies", "memset"): (.001, 12),
            ("kernels", "noise"): (.07, 12), ("kernels", "mask"): (.02, 12), ("kernels", "scan (CUB)"): (.006, 12),
            ("kernels", "histogram"): (.004, 12)})
        self.assertIn("<svg", svg)

    def test_every_kernel_has_a_phase(self):
        sys.path.insert(0, str(ROOT / "scripts"))
        import profile_figure
        known = {kernel for kernels in profile_figure.PHASES.values() for kernel in kernels}
        import re
        for source in (ROOT / "kernels/cuda").glob("*.cuh"):
            for name in re.findall(r"__global__ void __launch_bounds__\(kThreads\)\s+(\w+)\(", source.read_text()):
                self.assertIn(name, known, f"{source.name}: give {name} a phase in profile_figure.py")

    def test_a_missing_or_strange_report_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            write_sample(folder)
            path = pathlib.Path(folder, "sample_cuda_api_sum.csv")
            path.write_text("a,b\n1,2\n")
            done = figure(folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("sample_cuda_api_sum.csv:2", done.stderr)
            path.unlink()
            self.assertIn("no such file", figure(folder).stderr)


class ProfileScript(unittest.TestCase):
    def test_it_calls_nsys_and_draws(self):
        """nsys is replaced by a script that writes the sample where nsys would write its sums."""
        with tempfile.TemporaryDirectory() as folder:
            write_sample(folder)
            nsys = pathlib.Path(folder, "nsys")
            nsys.write_text(f"""#!/bin/sh
echo "$@" >> {folder}/calls
if [ "$1" = stats ]; then
  for report in {" ".join(SAMPLE)}; do cp {folder}/sample_$report.csv {folder}/out/traced_$report.csv; done
fi
""")
            nsys.chmod(0o755)
            pathlib.Path(folder, "traced.yaml").write_text("name: traced\n")
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", MASKBENCH="/bin/true",
                               PROFILE_OUT=f"{folder}/out")
            done = subprocess.run([str(ROOT / "scripts/profile.sh"), f"{folder}/traced.yaml", "--threads", "1"],
                                  env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = pathlib.Path(folder, "calls").read_text().splitlines()
            self.assertIn("--trace=cuda,nvtx,osrt", calls[0])
            self.assertIn("--threads 1", calls[0])
            self.assertIn("--format csv", calls[1])
            self.assertTrue(pathlib.Path(folder, "out/traced.svg").is_file())

    def test_no_config_is_one_line(self):
        done = subprocess.run([str(ROOT / "scripts/profile.sh"), "missing.yaml"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
