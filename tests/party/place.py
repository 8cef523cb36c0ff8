"""What the tests of two processes share: a place with data and certificates, parties started there, a line that can be cut."""
import csv
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
MASKBENCH = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else str(ROOT / "build/maskbench")
BASE = ["train.rounds=3", "train.max_depth=3", "mode=materialised", "masked.memory_limit=1048576"]


def skip_without_grpc():
    asked = [MASKBENCH, "party", "--role", "ap", "--data", ".", "--out", ".", "--plaintext", "--listen", "127.0.0.1:1"]
    if "without gRPC" in subprocess.run(asked, capture_output=True, text=True, check=False).stderr:
        print("skipped: built without gRPC")
        sys.exit(77)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Place:
    """A folder with a small data set, its two halves and certificates."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory()
        self.dir = Path(self.holder.name)
        (self.dir / "data").mkdir()
        columns = subprocess.run([SCRIPTS / "split_csv.py", "--demo", self.dir / "data/demo.csv", self.dir],
                                 check=True, capture_output=True, text=True).stdout.strip()
        (self.dir / "demo.yaml").write_text("name: demo\ndata: {dataset: demo, source: file, rows: 800, "
                                            f"ap_columns: [{columns}]}}\npaillier: {{key_bits: 1024}}\n")
        subprocess.run([SCRIPTS / "make_certificates.sh", self.dir / "tls"], check=True)

    def command(self, role, out, address, settings=(), extra=(), secure=True, data=None, listens=None, tls=None,
                wait=20, timeout=30):
        listens = role == "ap" if listens is None else listens
        line = ["--tls", tls or self.dir / "tls" / role] if secure else ["--plaintext"]
        return [str(a) for a in [
            MASKBENCH, "party", self.dir / "demo.yaml", "--role", role, "--data", data or self.dir / f"{role}.csv",
            "--out", out, "--listen" if listens else "--connect", address, *line, "--threads", "1", "--timeout",
            timeout, "--wait", wait, *sum((["--set", s] for s in [*BASE, *settings]), []), *extra]]

    def start(self, *args, **more):
        return subprocess.Popen(self.command(*args, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def both(self, name, settings=(), extra=(), **more):
        """Runs both parties to their end; their exit codes and stderr, AP's first."""
        address = f"127.0.0.1:{free_port()}"
        parties = [self.start(role, self.dir / name / role, address, settings, extra, **more) for role in ("ap", "pp")]
        return [finish(party) for party in parties]

    def one(self, name, settings=()):
        out = self.dir / name
        command = [MASKBENCH, "run", self.dir / "demo.yaml", "--data-dir", self.dir / "data", "--out", out,
                   "--save-models", "--threads", "1", *sum((["--set", s] for s in [*BASE, *settings]), [])]
        subprocess.run([str(a) for a in command], check=True, capture_output=True)
        return out


def finish(party, seconds=60):
    try:
        _, err = party.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        party.kill()
        raise AssertionError("a party hangs: " + " ".join(party.args)) from None
    return party.returncode, err


ABOUT = ("party", "kind", "view", "queries", "scope", "privacy_unit", "composition", "mu", "theorem3", "delta")


def rows(path):
    """{(metric, round, what it is about ...): the line}"""
    with open(path, newline="", encoding="utf-8") as file:
        return {(row["metric"], row["round"], *(row[name] for name in ABOUT)): row for row in csv.DictReader(file)}


def run_of(folder):
    """Its one line of runs.csv, without its name and its data."""
    with open(folder / "runs.csv", newline="", encoding="utf-8") as file:
        row, = csv.DictReader(file)
    return {k: v for k, v in row.items() if k not in ("run", "sha256")}


def model(folder, role):
    return next(folder.glob(f"models/*/{role}.json")).read_text()


class Relay:
    """Carries bytes between the two parties as long as it is told to."""

    def __init__(self):
        self.to = free_port()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pass_on = threading.Event()
        self.pass_on.set()
        self.ends = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.to))
            except ConnectionRefusedError:
                near.close()
                continue
            except OSError:
                return
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.ends += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self.pass_on.wait()
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.pass_on.set()
