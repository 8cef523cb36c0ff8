#!/usr/bin/python3
"""fig-network: seconds a tree by bandwidth and latency: fig_network.py [--out DIR] [--measure SECONDS] [--for SECONDS]

The runs are those of configs/fig-network.yaml, on data of the two shapes that is made up. Each method trains in one process (its
own seconds, bytes a tree) and as two parties over TLS on loopback, over a relay too (round trips a tree, bytes on the line):
DIR/facts.csv (paillier on the higgs shape from 20000 rows, times ten). A cell of the figure is then
  modelled: the larger of the seconds on loopback, and the seconds in one process + 8 bytes / bandwidth; and to these
            round trips * 2 * latency. Bytes are those on the line; masked's go both ways at once, so the longer way counts; or
  measured: two parties in two network namespaces, tc's tbf for the bandwidth, a relay for the latency; only where the
            model says that a tree takes at most --measure seconds, and where namespaces are allowed (root).
DIR/network.csv says which it was, DIR/crossing.csv the bandwidth at which masked and paillier are level; claim E1's verdict reads
it (DIR is results/network then). What DIR holds already is not measured again (--anew: it is). --for ends after about so many
seconds, with code 3 if there is more to do: the same command goes on.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from maskplots.terminal import one_line

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "configs/fig-network.yaml"
METHODS = ["nonprivate", "masked", "paillier", "smm", "xgb-ldp", "label-rr"]
SHAPES = {"adult": (32651, 14), "higgs": (200000, 28)}
MBITS = [10, 100, 1000, 10000, None]  # None: loopback
LATENCIES = [0.1, 10, 50]             # ms, one way
SPACES = ("mb-ap", "mb-pp")
ADDRESS = ("10.77.0.1", "10.77.0.2")
PORT = 7342
SCALED_ROWS = 20000


# --- the network -------------------------------------------------------------------------------------------------------

def run(*command, check=True):
    return subprocess.run([str(c) for c in command], check=check, capture_output=True, text=True)


class Spaces:
    """Two network namespaces with a line of a given bandwidth between them."""

    def __enter__(self):
        self.__exit__()
        for space in SPACES:
            run("ip", "netns", "add", space)
        run("ip", "link", "add", "mb-a", "netns", SPACES[0], "type", "veth", "peer", "name", "mb-b", "netns", SPACES[1])
        for space, device, address in zip(SPACES, ("mb-a", "mb-b"), ADDRESS):
            run("ip", "-n", space, "addr", "add", f"{address}/24", "dev", device)
            run("ip", "-n", space, "link", "set", device, "up")
            run("ip", "-n", space, "link", "set", "lo", "up")
        return self

    def shape(self, mbit):
        for space, device in zip(SPACES, ("mb-a", "mb-b")):
            run("tc", "-n", space, "qdisc", "del", "dev", device, "root", check=False)
            if mbit:
                burst = max(64, mbit * 2)  # kB: what passes in a timer's tick
                run("tc", "-n", space, "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{mbit}mbit", "burst",
                    f"{burst}kb", "latency", "400ms")

    def __exit__(self, *_):
        for space in SPACES:
            run("ip", "netns", "del", space, check=False)


def why_no_spaces():
    try:
        with Spaces() as spaces:
            spaces.shape(100)
        return ""
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no network namespaces here: {getattr(error, 'stderr', '') or error}".strip()


# --- the runs ----------------------------------------------------------------------------------------------------------

def write_data(path, rows, features):
    import numpy as np
    draw = np.random.default_rng(1)
    x = draw.normal(size=(rows, features)).round(3)
    y = (draw.random(rows) < 1 / (1 + np.exp(-(x[:, ::2].sum(1) - x[:, 1::2].sum(1)) / 2))).astype(int)
    header = "label," + ",".join(f"f{k}" for k in range(features))
    np.savetxt(path, np.column_stack([y, x]), delimiter=",", header=header, comments="", fmt=["%d"] + ["%.3f"] * features)


def metrics(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["metric"]: row["value"] for row in csv.DictReader(file) if not row["round"]}


class Bench:
    def __init__(self, program, folder, shape, rows):
        self.program, self.dir, self.shape = program, folder, shape
        shape_rows, features = SHAPES[shape]
        (folder / "data").mkdir(parents=True)
        self.rows = rows or shape_rows
        write_data(folder / "data" / f"{shape}.csv", self.rows, features)
        self.columns = run(ROOT / "scripts/split_csv.py", folder / "data" / f"{shape}.csv", folder).stdout.strip()
        run(ROOT / "scripts/make_certificates.sh", folder / "tls")
        self.count = 0

    def settings(self, method, rows=0, trees=2):
        values = [f"method={method}", f"data.dataset={self.shape}", "data.source=file",
                  f"data.ap_columns=[{self.columns}]", f"data.rows={rows}", f"train.rounds={trees}"]
        return sum((["--set", value] for value in values), [])

    def alone(self, method, rows=0):
        out = self.dir / f"one-{method}"
        run(self.program, "run", CONFIG, "--data-dir", self.dir / "data", "--out", out, *self.settings(method, rows))
        found = metrics(out / "results.csv")
        return float(found["seconds_per_tree"]), float(found["wire_bytes"]) / float(found["trees"])

    def together(self, method, latency=None, spaces=False, rows=0, trees=2, limit=600.0):
        """Seconds a tree of two parties, and with a relay (a latency) the bytes a tree of either way."""
        self.count += 1
        out, counts = self.dir / f"two-{self.count}", self.dir / f"counts-{self.count}"
        inside = [["ip", "netns", "exec", space] if spaces else [] for space in SPACES]
        target = ADDRESS[0] if spaces else "127.0.0.1"
        processes = []
        connect = f"{target}:{PORT}"
        if latency is not None:
            processes.append(subprocess.Popen([*inside[1], sys.executable, str(ROOT / "scripts/relay.py"), str(PORT + 1),
                                               target, str(PORT), str(latency), str(counts)]))
            connect = f"127.0.0.1:{PORT + 1}"
        for role, prefix, line in (("ap", inside[0], ["--listen", f"{target}:{PORT}"]),
                                   ("pp", inside[1], ["--connect", connect])):
            command = [*prefix, self.program, "party", CONFIG, "--role", role, "--data", self.dir / f"{role}.csv",
                       "--out", out / role, *line, "--tls", self.dir / "tls" / role, *self.settings(method, rows, trees)]
            processes.append(subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL,
                                              stderr=subprocess.PIPE, text=True))
        try:
            for party in processes[-2:]:
                _, err = party.communicate(timeout=limit)
                if party.returncode:
                    raise RuntimeError(err.strip())
            if latency is not None:
                wait_for(counts)
        finally:
            for process in processes:
                process.kill()
                process.wait()
        found = metrics(out / "ap/results.csv")
        carried = [int(n) for n in counts.read_text().split()] if latency is not None else []
        return float(found["seconds_per_tree"]), [n / float(found["trees"]) for n in carried]

    def facts(self, method):
        """What the model of a cell needs; paillier's seconds and bytes on many rows are scaled from fewer. Round trips follow
        from what 20 ms each way add; they depend on the depth, hardly on the rows, but for masked, whose blocks follow the rows."""
        part = self.rows / SCALED_ROWS if method == "paillier" and self.rows > 2 * SCALED_ROWS else 1
        few = SCALED_ROWS if part > 1 else 0
        seconds, sent = (part * value for value in self.alone(method, few))
        loopback = part * self.together(method, rows=few)[0]
        rows = 2000 if method != "masked" and self.rows > 2000 else 0
        base, ways = self.together(method, 0, rows=rows)
        slow, _ = self.together(method, 20, rows=rows)
        line = max(ways) if method == "masked" else sent
        return {"seconds": seconds, "loopback": loopback, "bytes": sent, "line_bytes": line,
                "round_trips": max(0.0, (slow - base) / 0.040), "scaled_from": few or ""}


def wait_for(path):
    for _ in range(100):
        if path.exists() and path.read_text().endswith("\n"):
            return
        time.sleep(0.05)
    raise RuntimeError("the relay did not tell how many bytes passed")


def modelled(facts, mbit, latency):
    line = facts["seconds"] + 8 * facts["line_bytes"] / (mbit * 1e6) if mbit else 0.0
    return max(facts["loopback"], line) + facts["round_trips"] * 2 * latency / 1e3


def crossing(masked, paillier, latency):
    """Mbit/s at which the two are level by the model; None: nowhere between 1 Mbit/s and 100 Gbit/s."""
    def ahead(mbit):
        return modelled(paillier, mbit, latency) - modelled(masked, mbit, latency)
    low, high = 1.0, 1e5
    if ahead(low) > 0 or ahead(high) < 0:
        return None
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if ahead(middle) < 0 else (low, middle)
    return high


def measure(bench, facts, mbit, latency):
    with Spaces() as spaces:
        spaces.shape(mbit)
        # Below 1 ms the relay's own time would be most of it: the line's own latency is under 0.1 ms.
        seconds, _ = bench.together(facts["method"], latency if latency >= 1 else None, spaces=True,
                                    trees=2 if modelled(facts, mbit, latency) < 5 else 1)
    return seconds


def crossings(facts, rows):
    """Of each shape and latency; beside the model the cells that were measured for both methods, and who was faster there."""
    found = []
    for shape in SHAPES:
        if not {(shape, "masked"), (shape, "paillier")} <= facts.keys():
            continue
        for latency in LATENCIES:
            cells = {m: {r["mbit"]: r["seconds_per_tree"] for r in rows if r["how"] == "measured" and
                         (r["dataset"], r["method"], r["latency_ms"]) == (shape, m, latency)} for m in ("masked", "paillier")}
            both = [b for b in cells["masked"] if b in cells["paillier"] and b != "loopback"]
            faster = {m: [str(b) for b in both if cells[m][b] < cells[o][b]]
                      for m, o in (("masked", "paillier"), ("paillier", "masked"))}
            found.append({"dataset": shape, "latency_ms": latency, "rows": facts[shape, "masked"]["rows"],
                          "level_mbit": crossing(facts[shape, "masked"], facts[shape, "paillier"], latency) or "",
                          "measured_masked_faster": " ".join(faster["masked"]),
                          "measured_paillier_faster": " ".join(faster["paillier"])})
    return found


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    shapes = sorted({row["dataset"] for row in rows})
    figure, panels = plt.subplots(len(shapes), len(LATENCIES), figsize=(4 * len(LATENCIES), 3.2 * len(shapes)),
                                  sharey="row", squeeze=False)
    for i, shape in enumerate(shapes):
        for j, latency in enumerate(LATENCIES):
            panel = panels[i][j]
            for color, method in zip(plt.rcParams["axes.prop_cycle"].by_key()["color"], METHODS):
                cell = [r for r in rows if (r["dataset"], r["latency_ms"], r["method"]) == (shape, latency, method)]
                cell = [r for r in cell if r["mbit"] != "loopback"]
                if not cell:
                    continue
                panel.plot([r["mbit"] for r in cell], [r["seconds_per_tree"] for r in cell], color=color, label=method)
                for how, face in (("measured", color), ("modelled", "white")):
                    some = [r for r in cell if r["how"] == how]
                    panel.plot([r["mbit"] for r in some], [r["seconds_per_tree"] for r in some], "o", color=color,
                               markerfacecolor=face)
            panel.set(xscale="log", yscale="log", title=f"{shape}, {latency} ms one way", xlabel="Mbit/s")
        panels[i][0].set_ylabel("seconds a tree")
    panels[0][-1].legend(fontsize=7)
    figure.suptitle("Seconds a tree by the line between the parties: filled = measured, hollow = modelled", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=90)


# --- files ---------------------------------------------------------------------------------------------------------------

def number(text):
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return text


def read(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(file)]


def write(path, rows):
    if not rows:
        return
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)


class Study:
    """What is known so far, and the rest of it."""

    def __init__(self, args):
        self.args = args
        self.no_spaces = "not asked for" if args.measure <= 0 or args.draw else why_no_spaces()
        known = [] if args.anew else read(args.out / "facts.csv")
        self.facts = {(row["dataset"], row["method"]): row for row in known}
        self.measured = {self.key(row): row["seconds_per_tree"] for row in ([] if args.anew else read(args.out / "network.csv"))
                         if row["how"] == "measured"}
        self.until = time.monotonic() + (args.seconds or 1e9)

    @staticmethod
    def key(row):
        return row["dataset"], row["method"], row["mbit"], row["latency_ms"]

    def sound_facts(self):
        """No line is faster than loopback, and no two processes are than one: a measured cell below them says that other work
        disturbed those runs."""
        out = {}
        for (shape, method), facts in self.facts.items():
            cells = [seconds for key, seconds in self.measured.items() if key[:2] == (shape, method)]
            least = min([facts["loopback"], *cells])
            out[shape, method] = facts | {"loopback": least, "seconds": min(facts["seconds"], least)}
        return out

    def rows(self):
        rows = []
        for (shape, method), facts in self.sound_facts().items():
            for mbit in MBITS:
                for latency in LATENCIES:
                    row = {"dataset": shape, "method": method, "mbit": mbit or "loopback", "latency_ms": latency}
                    seconds = self.measured.get(self.key(row))
                    row["seconds_per_tree"] = modelled(facts, mbit, latency) if seconds is None else seconds
                    rows.append(row | {"how": "modelled" if seconds is None else "measured"})
        return rows

    def to_measure(self, shape, method):
        facts = self.sound_facts()[shape, method]
        cells = [(mbit, latency) for mbit in MBITS for latency in LATENCIES
                 if (shape, method, mbit or "loopback", latency) not in self.measured
                 and (not self.args.mbits or str(mbit or "loopback") in self.args.mbits.split(","))]
        return [] if self.no_spaces else [c for c in cells if modelled(facts, *c) <= self.args.measure]

    def is_complete(self, shape, methods):
        return all((shape, method) in self.facts and not self.to_measure(shape, method) for method in methods)

    def go_on(self, shape, methods):
        """False: the time was not enough."""
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.path.abspath(self.args.program), Path(folder), shape, self.args.rows)
            for method in methods:
                if (shape, method) not in self.facts:
                    if time.monotonic() > self.until:
                        return False
                    facts = {"dataset": shape, "method": method, "rows": self.args.rows or SHAPES[shape][0]}
                    self.facts[shape, method] = facts | bench.facts(method)
                    self.save()
                for mbit, latency in self.to_measure(shape, method):
                    facts = self.sound_facts()[shape, method]
                    model = modelled(facts, mbit, latency)
                    if time.monotonic() + model > self.until:
                        return False
                    seconds = measure(bench, facts, mbit, latency)
                    self.measured[shape, method, mbit or "loopback", latency] = seconds
                    self.save()
                    print(f"{shape:6} {method:11} {mbit or 'loopback':>8} Mbit/s {latency:5} ms {seconds:10.3f} s measured, "
                          f"{model:.3f} s modelled", flush=True)
        return True

    def save(self):
        write(self.args.out / "facts.csv", list(self.facts.values()))
        write(self.args.out / "network.csv", self.rows())
        write(self.args.out / "crossing.csv", crossings(self.sound_facts(), self.rows()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "results/network")
    parser.add_argument("--program", default=ROOT / "build/maskbench", type=Path)
    parser.add_argument("--measure", type=float, default=30, help="measure a cell in which a tree takes at most so many seconds")
    parser.add_argument("--for", type=float, default=0, dest="seconds", help="end after so many seconds")
    parser.add_argument("--rows", type=int, default=0, help="instead of the shapes' own")
    parser.add_argument("--shapes", default="adult,higgs")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--mbits", default="", help="measure at these bandwidths alone, e.g. 10,100")
    parser.add_argument("--anew", action="store_true", help="forget what DIR holds")
    parser.add_argument("--draw", action="store_true", help="run nothing, draw what DIR holds")
    parser.add_argument("--figure", type=Path, help="where to draw [DIR/fig-network.png]")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    study = Study(args)
    if study.no_spaces and not args.draw:
        print(f"nothing is measured over a line: {study.no_spaces}")
    methods = args.methods.split(",")
    for shape in [] if args.draw else args.shapes.split(","):
        if not study.is_complete(shape, methods) and not study.go_on(shape, methods):
            print("there is more to do: the same command goes on")
            return 3
    study.save()
    draw(study.rows(), args.figure or args.out / "fig-network.png")
    for level in crossings(study.sound_facts(), study.rows()):
        print(one_line("{dataset}, {latency_ms} ms: ".format(**level)) + (
            f"masked and paillier are level at {level['level_mbit']:.0f} Mbit/s (modelled); below it paillier is faster"
            if level["level_mbit"] else "masked and paillier are level nowhere"))
        print(f"  measured: masked was faster at {level['measured_masked_faster'] or 'no cell'}, paillier at "
              f"{level['measured_paillier_faster'] or 'no cell'} (Mbit/s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
