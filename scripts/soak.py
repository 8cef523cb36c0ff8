#!/usr/bin/python3
"""Kills sweeps at random moments and checks that nothing is lost, repeated or damaged.

  scripts/soak.py KILLS [--program build/maskbench] [--seed 1]

A third of the kills each hit a single process, `--workers 3` and (if there is an mpirun) `mpirun -n 3`. The signal is KILL,
at times TERM. After every 20 kills a sweep is brought to its end and compared, row by row, with one that was never disturbed.
Ends with one line of counts; exit 1 if anything differs.
"""
import argparse
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """name: soak
data: {source: synthetic, dataset: adult, rows: 400}
train: {rounds: 3, max_depth: 3}
repeats: 4
axes:
  method: [nonprivate, masked, xgb-ldp, label-rr]
  privacy.eps_ap: [1, 4]
"""
UNSTEADY = ("seconds", "peak_rss")  # differ from run to run


def launchers():
    ways = {"single": ([], []), "workers": ([], ["--workers", "3"])}
    if shutil.which("mpirun"):
        ways["mpi"] = (["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"], [])
    return ways


def rows_of(folder):
    with open(folder / "results.csv", newline="", encoding="utf-8") as file:
        rows = [{k: v for k, v in row.items() if k != "threads"} for row in csv.DictReader(file)]
    steady = [r for r in rows if not any(word in r["metric"] for word in UNSTEADY)]
    return sorted(tuple(r.items()) for r in steady)


class Soak:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.random = program, Path(folder), random.Random(seed)
        (self.folder / "c.yaml").write_text(CONFIG)
        self.kills = self.ends = self.wrong = 0

    def command(self, way, out):
        before, after = launchers()[way]
        return [*before, self.program, "run", str(self.folder / "c.yaml"), "--out", str(self.folder / out),
                "--threads", "1", *after]

    def finish(self, way, out):
        done = subprocess.run(self.command(way, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=300, check=False)
        if done.returncode != 0:
            self.wrong += 1
            print(f"{way}: exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")

    def disturb(self, way, out):
        number = signal.SIGTERM if self.random.random() < 0.1 else signal.SIGKILL
        process = subprocess.Popen(self.command(way, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        time.sleep(self.random.uniform(0, 0.25))
        if process.poll() is None:
            self.kills += 1
            os.killpg(process.pid, number) if self.random.random() < 0.5 else process.send_signal(number)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.wrong += 1
            print(f"{way}: did not end after signal {number}")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def compare(self, way, out, whole):
        self.ends += 1
        self.finish(way, out)
        leftovers = list((self.folder / out).rglob("*.tmp"))
        damaged = list((self.folder / out).glob("old-*"))
        if rows_of(self.folder / out) != whole or leftovers or damaged:
            self.wrong += 1
            print(f"{way}: the end differs ({len(leftovers)} leftovers, {len(damaged)} set aside)")

    def run(self, kills):
        self.finish("single", "whole")
        whole = rows_of(self.folder / "whole")
        ways = list(launchers())
        batch = 0
        while self.kills < kills:
            way, out = ways[batch % len(ways)], f"out{batch}"
            target = min(kills, self.kills + 20)
            while self.kills < target:
                before = self.kills
                self.disturb(way, out)
                if self.kills == before:  # it had come to its end
                    self.compare(way, out, whole)
                    shutil.rmtree(self.folder / out)
            self.compare(way, out, whole)
            shutil.rmtree(self.folder / out, ignore_errors=True)
            batch += 1
        print(f"soak: {self.kills} kills of {', '.join(ways)}, {self.ends} comparisons, {self.wrong} wrong")
        return self.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int)
    parser.add_argument("--program", default=str(Path(__file__).resolve().parent.parent / "build" / "maskbench"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if Soak(options.program, folder, options.seed).run(options.kills) else 0)


if __name__ == "__main__":
    main()
