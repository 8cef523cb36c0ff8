#!/usr/bin/env python3
"""Our normals and those of the peers that are installed, interleaved in one run on one core.

usage: bench_normals.py [path of maskbench_bench]     (default build-cpu/maskbench_bench)
Peers: `pip install mkl numpy torch` in a virtual environment; cuRAND's host generator if a CUDA
toolkit is found. A peer that is missing is named with the reason. Times are CPU time, the least of
the rounds, so that other work on the machine disturbs little.
"""
import ctypes
import glob
import json
import os
import pathlib
import subprocess
import sys
import time

COUNT = 1 << 14  # floats a call, as in our benchmark
ROUNDS = 25
GOALS = {"MKL ARS5 ICDF": 1.3, "MKL Philox ICDF": 4.0}

os.environ["MKL_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"


def per_normal(call, seconds=0.03):
    calls, start = 0, time.thread_time()
    while time.thread_time() - start < seconds:
        call()
        calls += 1
    return (time.thread_time() - start) / calls / COUNT * 1e9


def ours(binary):
    def measure():
        run = subprocess.run(
            [binary, "--benchmark_filter=^normals$", "--benchmark_min_time=0.03",
             "--benchmark_format=json"], capture_output=True, text=True, check=True)
        result = json.loads(run.stdout)["benchmarks"][0]
        if result.get("error_occurred"):
            sys.exit(f"maskbench_bench: {result['error_message']}")
        return result["cpu_time"] / COUNT

    return {"maskbench Philox": measure}


def mkl():
    found = glob.glob(f"{sys.prefix}/lib/libmkl_rt.so*")
    if not found:
        raise ImportError("libmkl_rt is not in this environment (pip install mkl)")
    library = ctypes.CDLL(found[0])
    gaussian = library.vsRngGaussian
    gaussian.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
                         ctypes.c_float, ctypes.c_float]
    buffer = (ctypes.c_float * COUNT)()
    generators = {"MCG31": 1, "SFMT19937": 13, "ARS5": 15, "Philox": 16}  # VSL_BRNG_*, << 20
    methods = {"BoxMuller2": 1, "ICDF": 2}
    peers = {}
    for generator, number in generators.items():
        stream = ctypes.c_void_p()
        if library.vslNewStream(ctypes.byref(stream), number << 20, 1):
            continue
        for method, code in methods.items():
            peers[f"MKL {generator} {method}"] = lambda code=code, stream=stream: per_normal(
                lambda: gaussian(code, stream, COUNT, buffer, 0.0, 1.0))
    return peers


def numpy():
    import numpy as np
    out = np.empty(COUNT, np.float32)
    philox = np.random.Generator(np.random.Philox(1))
    fast = np.random.Generator(np.random.SFC64(1))
    return {"numpy Philox": lambda: per_normal(
                lambda: philox.standard_normal(out=out, dtype=np.float32)),
            "numpy SFC64": lambda: per_normal(
                lambda: fast.standard_normal(out=out, dtype=np.float32))}


def torch():
    import torch as t
    t.set_num_threads(1)
    out = t.empty(COUNT)
    return {"torch normal_": lambda: per_normal(lambda: out.normal_())}


def curand():
    places = glob.glob("/usr/local/cuda*/lib64/libcurand.so*") or ["libcurand.so.10"]
    library = ctypes.CDLL(places[0])
    generator = ctypes.c_void_p()
    # CURAND_RNG_PSEUDO_PHILOX4_32_10 on the host: needs no device.
    status = library.curandCreateGeneratorHost(ctypes.byref(generator), 161)
    if status:
        raise OSError(f"curandCreateGeneratorHost gives status {status}")
    buffer = (ctypes.c_float * COUNT)()
    generate = library.curandGenerateNormal
    generate.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_float,
                         ctypes.c_float]
    return {"cuRAND host Philox": lambda: per_normal(
        lambda: generate(generator, buffer, COUNT, 0.0, 1.0))}


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "build-cpu/maskbench_bench"
    if not pathlib.Path(binary).exists():
        sys.exit(f"{binary}: not found; build the target maskbench_bench or name its path")
    measures = ours(binary)
    for peer in (mkl, numpy, torch, curand):
        try:
            measures |= peer()
        except (ImportError, OSError) as reason:
            print(f"{peer.__name__}: left out, {reason}")
    best = dict.fromkeys(measures, float("inf"))
    for _ in range(ROUNDS):
        for name, measure in measures.items():
            best[name] = min(best[name], measure())
    own = best["maskbench Philox"]
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            print(line.split(":", 1)[1].strip())
            break
    for name, nanoseconds in sorted(best.items(), key=lambda item: item[1]):
        goal = f"  goal {GOALS[name]}" if name in GOALS else ""
        print(f"{name:24} {nanoseconds:7.3f} ns a normal  {nanoseconds / own:6.2f} of ours{goal}")


if __name__ == "__main__":
    main()
