#!/usr/bin/env python3
"""NvtxRanges: what a training tells a profiler, heard by a small tool of our own (injection.cpp).

usage: nvtx_test.py MASKBENCH INJECTION_LIBRARY TEST
"""
import csv
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

CONFIG = """
name: traced
data: {dataset: adult, source: synthetic, rows: 600}
train: {rounds: 2, max_depth: 3}
method: masked
mode: %s
privacy: {eps_ap: 4, eps_pp: 4}
backend: cpu
repeats: 1
"""
ROUNDS, DEPTH = 2, 3
Event = collections.namedtuple("Event", "what domain name id numbers")
Load = collections.namedtuple("Load", "tree depth nodes candidates cells bytes")


def run(maskbench, library, mode, folder):
    config, log = pathlib.Path(folder, "traced.yaml"), pathlib.Path(folder, "log.tsv")
    config.write_text(CONFIG % mode)
    environment = dict(os.environ)
    if library:
        environment.update(NVTX_INJECTION64_PATH=library, MASKBENCH_NVTX_LOG=str(log))
    done = subprocess.run([maskbench, "run", str(config), "--out", f"{folder}/out-{bool(library)}", "--threads", "1"],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    events = []
    for line in log.read_text().splitlines() if library else []:
        what, domain, name, *rest = line.split("\t")
        number = int(rest[0]) if rest else 0
        events.append(Event(what, domain, name, number, Load(*map(int, rest[1:])) if len(rest) == 7 else None))
    return events


def named(events, what, name):
    return [e for e in events if e.what == what and e.name == name]


def trees_and_levels(maskbench, library):
    for mode in ("materialised", "fused", "collapsed"):
        with tempfile.TemporaryDirectory() as folder:
            events = run(maskbench, library, mode, folder)
        for party in ("AP", "PP"):
            trees = [e.numbers.tree for e in named(events, "start", f"{party} tree")]
            assert trees == list(range(ROUNDS)), (mode, party, trees)
            levels = [e.numbers for e in named(events, "start", f"{party} level")]
            assert {level.depth for level in levels} == set(range(DEPTH)), (mode, levels)
            for level in levels:
                assert 1 <= level.nodes <= 2**level.depth, level
                assert level.candidates % level.nodes == 0 and level.candidates > 0, level
                assert 0 < level.cells, level
            assert all(level.nodes == 1 for level in levels if level.depth == 0), levels
            sent = [e.numbers.bytes for e in named(events, "mark", f"{party} level sent")]
            assert len(sent) == len(levels) and all(sent), (mode, party, sent)
        phases = ("noise", "mask", "aggregate") if mode == "materialised" else (mode,)
        for phase in phases:
            loads = [e.numbers for e in named(events, "start", phase)]
            assert loads and all(load.candidates > 0 for load in loads), (mode, phase, loads)
            assert mode != "materialised" or all(load.cells > 0 for load in loads), (phase, loads)


def one_domain_and_registered_strings(maskbench, library):
    with tempfile.TemporaryDirectory() as folder:
        events = run(maskbench, library, "materialised", folder)
    assert {e.domain for e in events} == {"maskbench"}, {e.domain for e in events}
    strings = [e.name for e in events if e.what == "string"]
    assert len(strings) == len(set(strings)), strings
    used = {e.name for e in events if e.what in ("start", "mark")}
    assert used and used <= set(strings), used - set(strings)


def every_range_ends(maskbench, library):
    with tempfile.TemporaryDirectory() as folder:
        events = run(maskbench, library, "fused", folder)
    started = [e.id for e in events if e.what == "start"]
    ended = [e.id for e in events if e.what == "end"]
    assert started and sorted(started) == sorted(ended), (len(started), len(ended))


def results_are_the_same_without_a_tool(maskbench, library):
    with tempfile.TemporaryDirectory() as folder:
        run(maskbench, library, "fused", folder)
        run(maskbench, None, "fused", folder)
        def values(tool):
            with open(pathlib.Path(folder, f"out-{tool}", "results.csv"), newline="") as file:
                return sorted((row["metric"], row["party"], row["kind"], row["round"], row["value"])
                              for row in csv.DictReader(file) if row["metric"] in ("test_auc", "wire_bytes", "message_bytes"))
        assert values(True) and values(True) == values(False), (values(True), values(False))


TESTS = [trees_and_levels, one_domain_and_registered_strings, every_range_ends, results_are_the_same_without_a_tool]

if __name__ == "__main__":
    program, injection, test = sys.argv[1:]
    {t.__name__: t for t in TESTS}[test](program, injection)
