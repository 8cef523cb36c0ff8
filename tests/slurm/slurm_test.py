"""scripts/slurm_sweep.sh on a Slurm of one node gives the results of a single process.

  slurm_test.py MASKBENCH     exit code 77: skipped, with the reason
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import one_node

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from reference import deterministic_rows  # noqa: E402

SKIP = 77
CONFIG = """
data: {dataset: adult, source: synthetic, rows: 1000}
train: {rounds: 3, max_depth: 3}
repeats: 2
axes:
  method: [nonprivate, masked, xgb-ldp]
  privacy.eps_ap: [1, 2]
"""
RUNS = 10


def expect(condition, message):
    if not condition:
        sys.exit(f"slurm_test: {message}")


def sweep(cluster, program, *arguments):
    command = [str(ROOT / "scripts" / "slurm_sweep.sh"), *arguments]
    return subprocess.run(command, env={**cluster.environment, "MASKBENCH": program}, capture_output=True, text=True)


def check(cluster, program, folder):
    config, out, single = folder / "c.yaml", folder / "with space", folder / "single"
    config.write_text(CONFIG)
    subprocess.run([program, "run", config, "--out", single, "--threads", "1"], check=True, capture_output=True)

    submitted = sweep(cluster, program, str(config), "3", "--out", str(out), "--threads", "1")
    expect(submitted.returncode == 0, submitted.stderr)
    cluster.wait_for_jobs()
    logs = "\n".join(path.read_text() for path in sorted(out.glob("slurm/*.log")))
    expect((out / "results.csv").exists(), f"no results\n{logs}")
    expect(deterministic_rows(out) == deterministic_rows(single),
           f"other results than of a single process\n{logs}")
    expect(f"{RUNS} of {RUNS} runs done, 0 failed" in logs, f"the last job does not say so\n{logs}")
    shards = sorted(path.name for path in (out / "locks").glob("worker-shard-*"))
    expect(len(shards) == 3, f"not three shards: {shards}")

    # Again after some runs were lost: only these are done.
    kept = sorted((out / "runs").glob("*.csv"))
    for path in kept[:4]:
        path.unlink()
    written = {path: path.stat().st_mtime_ns for path in kept[4:]}
    expect(sweep(cluster, program, "-s", "--time 5", str(config), "2", "--out", str(out), "--threads", "1").returncode == 0,
           "the second sweep was not accepted")
    cluster.wait_for_jobs()
    expect(deterministic_rows(out) == deterministic_rows(single), "a resumed sweep differs")
    expect(written == {path: path.stat().st_mtime_ns for path in kept[4:]}, "finished runs were done again")

    bad = sweep(cluster, program, str(folder / "no.yaml"))
    expect(bad.returncode == 1 and "cannot read" in bad.stderr, "a missing config is not told at once")


def main():
    reason = one_node.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(prefix="maskbench-slurm-") as folder:
        cluster_folder = Path(folder) / "slurm"
        cluster_folder.mkdir(mode=0o755)
        try:
            with one_node.OneNode(cluster_folder) as cluster:
                check(cluster, sys.argv[1], Path(folder))
        except one_node.CannotStart as error:
            print(f"skipped: a Slurm of one node cannot be started here: {error}")
            sys.exit(SKIP)
    print("slurm_test: ok")


if __name__ == "__main__":
    main()
