#!/usr/bin/python3
"""fig-network: seconds a tree by bandwidth and latency: fig_network.py [--out DIR] [--measure SECONDS] [--rows N]

Each method trains in one process (its own seconds, bytes a tree) and as two parties over a relay that delays bytes
(round trips a tree). A cell of the figure is then
  modelled: seconds + 8 bytes / bandwidth + round trips * 2 * latency, or
  measured: two parties in two network namespaces, tc's tbf for the bandwidth, a relay for the latency; only where the
            model says that it takes at most --measure seconds, and where namespaces are allowed (root).
DIR/network.csv says which it was. Prints the bandwidth at which masked and paillier are level.
"""
import argparse
import asyncio
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METHODS = ["nonprivate", "masked", "paillier", "smm", "xgb-ldp", "label-rr"]
SHAPES = {"adult": (32651, 14), "higgs": (200000, 28)}
MBITS = [10, 100, 1000, 10000, None]  # None: loopback
LATENCIES = [0.1, 10, 50]             # ms, one way
SPACES = ("mb-ap", "mb-pp")
ADDRESS = ("10.77.0.1", "10.77.0.2")
PORT = 7342


# --- the relay ---------------------------------------------------------------------------------------------------------

async def delayed(reader, writer, seconds):
    queue = asyncio.Queue()

    async def deliver():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - time.monotonic()))
            if not data:
                return writer.close()
            writer.write(data)
            await writer.drain()
    sender = asyncio.create_task(deliver())
    try:
        while data := await reader.read(1 << 18):
            queue.put_nowait((time.monotonic() + seconds, data))
    except ConnectionError:
        pass
    queue.put_nowait((0, b""))
    try:
        await sender
    except ConnectionError:
        pass


async def relay(listen, host, port, milliseconds):
    async def serve(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(host, port)
        except OSError:
            return writer.close()
        await asyncio.gather(delayed(reader, far_writer, milliseconds / 1e3),
                             delayed(far_reader, writer, milliseconds / 1e3))
    async with await asyncio.start_server(serve, "127.0.0.1", listen) as server:
        await server.serve_forever()


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
        write_data(folder / "data" / f"{shape}.csv", rows or shape_rows, features)
        columns = run(ROOT / "scripts/split_csv.py", folder / "data" / f"{shape}.csv", folder).stdout.strip()
        run(ROOT / "scripts/make_certificates.sh", folder / "tls")
        (folder / "run.yaml").write_text(
            f"name: fig-network\ndata: {{dataset: {shape}, source: file, ap_columns: [{columns}]}}\n"
            "train: {rounds: 2, max_depth: 6}\nmode: materialised\npaillier: {max_trees: 1}\n")
        self.count = 0

    def settings(self, method, rows=0):
        return sum((["--set", s] for s in [f"method={method}", f"data.rows={rows}"]), [])

    def alone(self, method):
        out = self.dir / f"one-{method}"
        run(self.program, "run", self.dir / "run.yaml", "--data-dir", self.dir / "data", "--out", out,
            *self.settings(method))
        found = metrics(out / "results.csv")
        return float(found["seconds_per_tree"]), float(found["wire_bytes"]) / float(found["trees"])

    def together(self, method, latency=0.0, spaces=False, rows=0, limit=600.0):
        """Seconds a tree of two parties."""
        self.count += 1
        out = self.dir / f"two-{self.count}"
        inside = [["ip", "netns", "exec", space] if spaces else [] for space in SPACES]
        target = ADDRESS[0] if spaces else "127.0.0.1"
        processes = []
        connect = f"{target}:{PORT}"
        if latency:
            processes.append(subprocess.Popen([*inside[1], sys.executable, __file__, "relay", str(PORT + 1), target,
                                               str(PORT), str(latency)]))
            connect = f"127.0.0.1:{PORT + 1}"
        for role, prefix, line in (("ap", inside[0], ["--listen", f"{target}:{PORT}"]),
                                   ("pp", inside[1], ["--connect", connect])):
            command = [*prefix, self.program, "party", self.dir / "run.yaml", "--role", role, "--data",
                       self.dir / f"{role}.csv", "--out", out / role, *line, "--tls", self.dir / "tls" / role,
                       *self.settings(method, rows)]
            processes.append(subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL,
                                              stderr=subprocess.PIPE, text=True))
        try:
            for party in processes[-2:]:
                _, err = party.communicate(timeout=limit)
                if party.returncode:
                    raise RuntimeError(err.strip())
        finally:
            for process in processes:
                process.kill()
                process.wait()
        return float(metrics(out / "ap/results.csv")["seconds_per_tree"])

    def round_trips(self, method):
        """A tree's, from what 20 ms each way add to it; they depend on the depth, hardly on the rows."""
        rows = 2000 if method != "masked" else 0  # masked's blocks follow the rows
        base = self.together(method, 0.0001, rows=rows)
        return max(0.0, (self.together(method, 20, rows=rows) - base) / 0.040)


def modelled(facts, mbit, latency):
    line = 8 * facts["bytes"] / (mbit * 1e6) if mbit else 0.0
    return facts["seconds"] + line + facts["round_trips"] * 2 * latency / 1e3


def crossing(masked, paillier, latency):
    """Mbit/s at which the two are level; None: never."""
    slower = paillier["seconds"] - masked["seconds"] + \
        (paillier["round_trips"] - masked["round_trips"]) * 2 * latency / 1e3
    more = masked["bytes"] - paillier["bytes"]
    return 8 * more / slower / 1e6 if slower > 0 and more > 0 else None


def measure(bench, method, facts, args, no_spaces):
    rows = []
    for mbit in MBITS:
        for latency in LATENCIES:
            model = modelled(facts, mbit, latency)
            row = {"dataset": bench.shape, "method": method, "mbit": mbit or "loopback", "latency_ms": latency,
                   "seconds_per_tree": model, "how": "modelled", **{k: facts[k] for k in ("bytes", "round_trips")}}
            # A tree or two, and before them the rows' matching and after them the test rows.
            if not no_spaces and 2 * model <= args.measure:
                with Spaces() as spaces:
                    spaces.shape(mbit)
                    # Below 1 ms the relay's own time would be most of it: the line's own latency is under 0.1 ms.
                    row["seconds_per_tree"] = bench.together(method, latency if latency >= 1 else 0, spaces=True)
                row["how"] = "measured"
            rows.append(row)
            print(f"{row['dataset']:6} {method:11} {row['mbit']:>8} Mbit/s {latency:5} ms "
                  f"{row['seconds_per_tree']:10.3f} s  {row['how']}", flush=True)
    return rows


def draw(rows, out):
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
    figure.savefig(out / "fig-network.png", dpi=130)


def main():
    if sys.argv[1:2] == ["relay"]:
        return asyncio.run(relay(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5])))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "results/fig-network")
    parser.add_argument("--program", default=ROOT / "build/maskbench", type=Path)
    parser.add_argument("--measure", type=float, default=30, help="measure a cell that takes at most so many seconds")
    parser.add_argument("--rows", type=int, default=0, help="instead of the shapes' own")
    parser.add_argument("--shapes", default="adult,higgs")
    parser.add_argument("--methods", default=",".join(METHODS))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    no_spaces = "not asked for" if args.measure <= 0 else why_no_spaces()
    if no_spaces:
        print(f"nothing is measured over a line: {no_spaces}")
    rows, lines = [], []
    for shape in args.shapes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.path.abspath(args.program), Path(folder), shape, args.rows)
            facts = {}
            for method in args.methods.split(","):
                seconds, sent = bench.alone(method)
                facts[method] = {"seconds": seconds, "bytes": sent, "round_trips": bench.round_trips(method)}
                rows += measure(bench, method, facts[method], args, no_spaces)
        if "masked" in facts and "paillier" in facts:
            for latency in LATENCIES:
                level = crossing(facts["masked"], facts["paillier"], latency)
                lines.append(f"{shape}, {latency} ms: " + (
                    f"masked and paillier are level at {level:.0f} Mbit/s (modelled); below it paillier is faster"
                    if level else "masked and paillier are level nowhere"))
    with open(args.out / "network.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    (args.out / "crossing.txt").write_text("\n".join(lines) + "\n")
    draw(rows, args.out)
    print("\n".join(lines))
    print(f"{args.out}/network.csv, fig-network.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
