#!/usr/bin/python3
"""Kills sweeps at random moments and checks that nothing is lost, repeated or damaged.

  scripts/soak.py KILLS [--parties] [--program build/maskbench] [--seed 1]

A third of the kills each hit a single process, `--workers 3` and (if there is an mpirun) `mpirun -n 3`. The signal is KILL,
at times TERM. After every 20 kills a sweep is brought to its end and compared, row by row, with one that was never disturbed.
With --parties it kills one or both of the two parties of a training between two processes (over TLS) and starts both again with
--resume, until they come to their end: both models must be those of one process that was never disturbed, and no party may
hang. Ends with one line of counts; exit 1 if anything differs.
"""
import argparse
import csv
import os
import random
import shutil
import signal
import socket
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


PARTY_CONFIG = """name: soak
data: {{dataset: demo, source: file, rows: 800, ap_columns: [{columns}]}}
train: {{rounds: 60, max_depth: 3}}
mode: materialised
masked: {{memory_limit: 1048576}}
"""
PARTY_METHODS = ["masked", "label-rr", "federboost", "nonprivate", "late-fusion", "xgb-ldp", "smm"]
SCRIPTS = Path(__file__).resolve().parent


def launchers():
    ways = {"single": ([], []), "workers": ([], ["--workers", "3"])}
    if shutil.which("mpirun"):
        ways["mpi"] = (["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"], [])
    return ways


def rows_of(folder):
    rows = []
    for name in ("runs.csv", "results.csv"):
        with open(folder / name, newline="", encoding="utf-8") as file:
            rows += [{k: v for k, v in row.items() if k != "threads"} for row in csv.DictReader(file)]
    steady = [r for r in rows if not any(word in r.get("metric", "") for word in UNSTEADY)]
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


class PartySoak:
    """Two processes, of which one is killed now and then."""

    def __init__(self, program, folder, seed):
        self.program, self.folder, self.random = program, Path(folder), random.Random(seed)
        (self.folder / "data").mkdir()
        columns = subprocess.run([SCRIPTS / "split_csv.py", "--demo", self.folder / "data/demo.csv", self.folder],
                                 check=True, capture_output=True, text=True).stdout.strip()
        (self.folder / "c.yaml").write_text(PARTY_CONFIG.format(columns=columns))
        subprocess.run([SCRIPTS / "make_certificates.sh", self.folder / "tls"], check=True)
        self.kills = self.ends = self.wrong = self.resumed = 0
        self.wholes, self.lengths = {}, {}

    def complain(self, text):
        self.wrong += 1
        print(text, flush=True)

    def whole(self, method):
        """The models of one process."""
        if method not in self.wholes:
            out = self.folder / f"one-{method}"
            subprocess.run([self.program, "run", self.folder / "c.yaml", "--data-dir", self.folder / "data", "--out", out,
                            "--save-models", "--threads", "1", "--set", f"method={method}"], check=True,
                           capture_output=True)
            self.wholes[method] = [next(out.glob(f"models/*/{role}.json")).read_text() for role in ("ap", "pp")]
        return self.wholes[method]

    def start(self, method, out, resume):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{one.getsockname()[1]}"
        return [subprocess.Popen([str(a) for a in [
            self.program, "party", self.folder / "c.yaml", "--role", role, "--data", self.folder / f"{role}.csv", "--out",
            out / role, "--listen" if role == "ap" else "--connect", address, "--tls", self.folder / "tls" / role,
            "--threads", "1", "--wait", "10", "--timeout", "30", "--set", f"method={method}", *resume]],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for role in ("ap", "pp")]

    def end(self, parties):
        said = []
        for party in parties:
            try:
                said.append(party.communicate(timeout=90)[1])
            except subprocess.TimeoutExpired:
                self.complain("a party hangs: " + " ".join(party.args))
                party.kill()
                said.append(party.communicate()[1])
        return said

    def length(self, method):
        """Seconds that a training takes here if nobody disturbs it."""
        if method not in self.lengths:
            began, out = time.monotonic(), self.folder / f"undisturbed-{method}"
            self.end(self.start(method, out, []))
            self.lengths[method] = time.monotonic() - began
            shutil.rmtree(out, ignore_errors=True)
        return self.lengths[method]

    def disturb(self, method, out, resume):
        """True: both came to their end undisturbed."""
        most = self.length(method)
        parties = self.start(method, out, resume)
        time.sleep(self.random.uniform(0, most))
        victims = self.random.choice([parties[:1], parties[1:], parties])
        for victim in victims:
            if victim.poll() is None:
                victim.kill()
                self.kills += 1
        said = self.end(parties)
        self.resumed += any("goes on after tree" in text for text in said)
        return all(party.returncode == 0 for party in parties)

    def finish(self, method, out):
        parties = self.start(method, out, ["--resume"])
        said = self.end(parties)
        codes = [party.returncode for party in parties]
        if codes != [0, 0]:
            self.complain(f"{method}: exit {codes}: {said}")
            return
        models = [(out / role / "model" / f"{role}.json").read_text() for role in ("ap", "pp")]
        # A party that had finished and did not meet the other keeps its progress, and says so.
        kept = [role for role, text in zip(("ap", "pp"), said) if "stays for it" in text]
        left = [p for p in out.rglob("*") if p.suffix == ".tmp" or (p.name == "progress" and p.parent.name not in kept)]
        if models != self.whole(method) or left:
            self.complain(f"{method}: the end differs; left over: {left}")

    def run(self, kills):
        while self.kills < kills:
            method, out = PARTY_METHODS[self.ends % len(PARTY_METHODS)], self.folder / f"out{self.ends}"
            resume = []
            for _ in range(self.random.randint(2, 8)):
                done = self.disturb(method, out, resume)
                resume = ["--resume"]
                if done:
                    break
            self.finish(method, out)
            self.ends += 1
            shutil.rmtree(out, ignore_errors=True)
        print(f"soak: {self.kills} kills of parties ({', '.join(PARTY_METHODS)}), {self.resumed} goings on from a kept tree, "
              f"{self.ends} comparisons, {self.wrong} wrong")
        return self.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int)
    parser.add_argument("--parties", action="store_true")
    parser.add_argument("--program", default=str(Path(__file__).resolve().parent.parent / "build" / "maskbench"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = (PartySoak if options.parties else Soak)(options.program, folder, options.seed)
        sys.exit(1 if soak.run(options.kills) else 0)


if __name__ == "__main__":
    main()
