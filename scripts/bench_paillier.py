#!/usr/bin/env python3
"""Paillier on one core: ours beside phe and HEU (PyPI), interleaved in one run, medians.

usage: scripts/bench_paillier.py [--bench build-cpu/maskbench_bench] [--bits 2048] [--rounds 5]

Installs phe, gmpy2 and sf-heu into build/venv-paillier at the first run. Every number is operations
a second of CPU time on one core, batches where a library has them.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / "build" / "venv-paillier"
PEERS = ("phe", "ZPaillier", "IPCL")
OPERATIONS = ("encrypt", "decrypt", "add")
OURS = {
    "encrypt": "paillier_encrypt_owner<Blinding::half_modulus>/{}",
    "decrypt": "paillier_decrypt/{}",
    "add": "paillier_add/{}",
}
GOALS = {"encrypt": 4.0, "decrypt": 1.5, "add": 1.0}  # times HEU's ZPaillier


def rate(count, work):
    start = time.process_time()
    work()
    return count / (time.process_time() - start)


def peer_phe(bits):
    from phe import paillier

    key, secret = paillier.generate_paillier_keypair(n_length=bits)
    values = list(range(1, 41))
    ciphers = [key.raw_encrypt(v) for v in values]
    assert [secret.raw_decrypt(c) for c in ciphers] == values
    numbers = [paillier.EncryptedNumber(key, c) for c in ciphers]

    def add():
        total = numbers[0]
        for _ in range(50):
            for number in numbers:
                total = total + number

    return {
        "encrypt": rate(len(values), lambda: [key.raw_encrypt(v) for v in values]),
        "decrypt": rate(len(values), lambda: [secret.raw_decrypt(c) for c in ciphers]),
        "add": rate(50 * len(values), add),
    }


def peer_heu(schema, bits):
    import numpy
    from heu import numpy as hnp
    from heu import phe

    kit = hnp.setup(getattr(phe.SchemaType, schema), bits)
    encryptor, decryptor, evaluator = kit.encryptor(), kit.decryptor(), kit.evaluator()
    values = numpy.arange(1, 301)
    plain = kit.array(values, phe.BigintEncoderParams())
    ciphers = encryptor.encrypt(plain)
    few = ciphers[:60]
    decoded = decryptor.decrypt(few).to_numpy(kit.bigint_encoder())
    assert (decoded.astype(int) == values[:60]).all()

    def add():
        for _ in range(20):
            evaluator.add(ciphers, ciphers)

    return {
        "encrypt": rate(len(values), lambda: encryptor.encrypt(plain)),
        "decrypt": rate(60, lambda: decryptor.decrypt(few)),
        "add": rate(20 * len(values), add),
    }


def run_peer(peer, bits):
    return peer_phe(bits) if peer == "phe" else peer_heu(peer, bits)


def ask_peer(peer, bits):
    command = [VENV / "bin" / "python", __file__, "--peer", peer, "--bits", str(bits)]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"bench_paillier: {peer} failed: {answer.stderr.strip().splitlines()[-1]}")
    return json.loads(answer.stdout.splitlines()[-1])  # HEU logs before it


def ask_ours(bench, bits):
    names = {operation: name.format(bits) for operation, name in OURS.items()}
    pattern = "|".join(f"^{name}$" for name in names.values())
    command = [bench, f"--benchmark_filter={pattern}", "--benchmark_format=json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    rates = {row["name"]: row["items_per_second"] for row in rows}
    return {operation: rates[name] for operation, name in names.items()}


def prepare_venv():
    if not (VENV / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    install = [VENV / "bin" / "pip", "install", "--quiet", "phe", "gmpy2", "sf-heu"]
    subprocess.run(install, check=True)


def print_table(rates):
    median = {who: {op: statistics.median(r[op] for r in rows) for op in OPERATIONS} for who, rows in rates.items()}
    print(f"{'per second':12}" + "".join(f"{op:>12}" for op in OPERATIONS))
    for who, row in median.items():
        print(f"{who:12}" + "".join(f"{row[op]:12.0f}" for op in OPERATIONS))
    for peer in PEERS:
        ratios = [median["maskbench"][op] / median[peer][op] for op in OPERATIONS]
        print(f"x {peer:10}" + "".join(f"{ratio:12.2f}" for ratio in ratios))
    print(f"{'goal':12}" + "".join(f"{GOALS[op]:12.2f}" for op in OPERATIONS) + "  times ZPaillier")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build-cpu" / "maskbench_bench")
    parser.add_argument("--bits", type=int, choices=(1024, 2048, 3072), default=2048)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        return print(json.dumps(run_peer(options.peer, options.bits)))
    if not options.bench.exists():
        sys.exit(f"bench_paillier: no {options.bench}; build it with: cmake --build --preset cpu")
    prepare_venv()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rates = {who: [] for who in ("maskbench", *PEERS)}
    for _ in range(options.rounds):
        rates["maskbench"].append(ask_ours(options.bench, options.bits))
        for peer in PEERS:
            rates[peer].append(ask_peer(peer, options.bits))
    print_table(rates)


if __name__ == "__main__":
    main()
