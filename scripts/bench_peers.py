#!/usr/bin/env python3
"""maskbench beside its peers, in one run on this machine.

usage: bench_peers.py [train|auc|normals|paillier|all] [--data-dir DIR] [--rounds N] [--repeats N]
  train     seconds a tree of nonprivate beside xgboost and lightgbm, six shapes, 1 and 2 threads
  auc       test AUC of nonprivate beside xgboost on the real data sets in --data-dir, same rows
  normals   ns a normal beside MKL, numpy, torch and cuRAND's host generator
  paillier  operations a second beside phe and HEU
Peers are installed from PyPI into build/peers. Build first: scripts/build.sh
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / "build" / "peers"
BINARY = ROOT / "build" / "maskbench"
PEERS = {
    "train": ["numpy", "xgboost", "lightgbm"],
    "auc": ["numpy", "xgboost", "scikit-learn", "pandas"],
    "normals": ["numpy", "mkl", "torch"],
    "paillier": ["phe", "sf-heu"],
}
ROUNDS, DEPTH, BINS = 60, 6, 32


def ensure_venv(packages):
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run(["/usr/bin/python3", "-m", "venv", str(VENV)], check=True)
    stamp = VENV / ("ready-" + "-".join(packages))
    if not stamp.exists():
        print("installing", *packages, flush=True)
        subprocess.run([str(VENV / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", *packages],
                       check=True)
        stamp.touch()
    return python


def cpu_name():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown processor"


def maskbench(*arguments):
    done = subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"maskbench {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done


def shapes():
    """{data set: (rows, features)} of the paper's."""
    known = json.loads(maskbench("list", "--json").stdout)["datasets"]
    return {entry["name"]: (entry["rows"], entry["features"]) for entry in known}


def metric(directory, name):
    with open(pathlib.Path(directory) / "results.csv", newline="") as file:
        return [float(row["value"]) for row in csv.DictReader(file) if row["metric"] == name and row["round"] == ""]


def config(folder, dataset, rounds, test_fraction):
    path = pathlib.Path(folder) / "bench.yaml"
    path.write_text(f"name: bench\nmethod: nonprivate\ndata: {{dataset: {dataset}, source: file, "
                    f"test_fraction: {test_fraction}}}\n"
                    f"train: {{rounds: {rounds}, max_depth: {DEPTH}, max_bins: {BINS}, learning_rate: 0.3, lambda: 1}}\n")
    return path


# ---- seconds a tree

def random_data(numpy, rows, features, seed=1):
    random = numpy.random.default_rng(seed)
    x = random.standard_normal((rows, features)).astype("float32")
    signal = x[:, 0] * x[:, 1] + 0.7 * x[:, 2] + 0.5 * x[:, -1] ** 2 - 0.4 * x[:, -2] + random.standard_normal(rows)
    return x, (signal > 0.3).astype("float32")


def ours_ms(folder, rounds, threads):
    out = pathlib.Path(folder) / "out"
    maskbench("run", config(folder, "data", rounds, 0.0001), "--data-dir", folder, "--out", out, "--threads", threads,
              "--fresh")
    return 1e3 * metric(out, "seconds_per_tree")[0]


def train_peers(rounds, repeats):
    import lightgbm
    import numpy
    import xgboost
    print(f"\nms a tree, {rounds} trees, depth {DEPTH}, {BINS} bins; median of {repeats} interleaved runs; {cpu_name()}")
    print(f"{'shape':>10} {'threads':>7} {'maskbench':>10} {'xgboost':>9} {'lightgbm':>9} {'ours/faster':>12}")
    for name, (rows, features) in shapes().items():
        x, y = random_data(numpy, rows, features)
        with tempfile.TemporaryDirectory() as folder:
            header = "label," + ",".join(f"f{i}" for i in range(features))
            numpy.savetxt(f"{folder}/data.csv", numpy.column_stack([y, x]), delimiter=",", header=header, comments="",
                          fmt=["%d"] + ["%.6g"] * features)
            for threads in (1, 2):
                params = {"tree_method": "hist", "max_depth": DEPTH, "max_bin": BINS, "eta": 0.3, "lambda": 1,
                          "objective": "binary:logistic", "nthread": threads}
                matrix = xgboost.QuantileDMatrix(x, y, max_bin=BINS, nthread=threads)
                light = {"objective": "binary", "max_depth": DEPTH, "num_leaves": 2 ** DEPTH, "max_bin": BINS - 1,
                         "learning_rate": 0.3, "lambda_l2": 1, "num_threads": threads, "verbose": -1}
                dataset = lightgbm.Dataset(x, y, params={"max_bin": BINS - 1, "verbose": -1}).construct()
                times = {"maskbench": [], "xgboost": [], "lightgbm": []}
                for _ in range(repeats):
                    times["maskbench"].append(ours_ms(folder, rounds, threads))
                    start = time.perf_counter()
                    xgboost.train(params, matrix, rounds)
                    times["xgboost"].append(1e3 * (time.perf_counter() - start) / rounds)
                    start = time.perf_counter()
                    lightgbm.train(light, dataset, rounds)
                    times["lightgbm"].append(1e3 * (time.perf_counter() - start) / rounds)
                median = {key: statistics.median(values) for key, values in times.items()}
                ratio = median["maskbench"] / min(median["xgboost"], median["lightgbm"])
                print(f"{name:>10} {threads:>7} {median['maskbench']:>10.2f} {median['xgboost']:>9.2f} "
                      f"{median['lightgbm']:>9.2f} {ratio:>12.2f}", flush=True)


# ---- test AUC on real data

def read_table(path):
    import pandas
    table = pandas.read_csv(path)
    features = table.drop(columns="label")
    for column in features.columns:
        if not pandas.api.types.is_numeric_dtype(features[column]):
            features[column] = features[column].astype("category").cat.codes.replace(-1, float("nan"))
    return table, features.astype("float32"), table["label"]


def auc_peers(data_dir, repeats):
    import xgboost
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import train_test_split
    print(f"\ntest AUC, {ROUNDS} trees, depth {DEPTH}, {BINS} bins, mean of {repeats} splits, the same rows for both")
    print(f"{'data':>10} {'maskbench':>10} {'xgboost':>9} {'difference':>11}")
    for path in sorted(pathlib.Path(data_dir).glob("*.csv*")):
        table, features, labels = read_table(path)
        ours, theirs = [], []
        for seed in range(repeats):
            train, test = train_test_split(range(len(table)), test_size=0.2, stratify=labels, random_state=seed)
            with tempfile.TemporaryDirectory() as folder:
                table.iloc[train].to_csv(f"{folder}/train.csv", index=False)
                table.iloc[test].to_csv(f"{folder}/test.csv", index=False)
                out = f"{folder}/out"
                maskbench("run", config(folder, "train", ROUNDS, 0.0001), "--data-dir", folder, "--out", out,
                          "--save-models")
                model = next(pathlib.Path(out, "models").iterdir())
                report = maskbench("predict", model, f"{folder}/test.csv", "--out", f"{folder}/p.csv")
                ours.append(float(report.stderr.split("AUC")[1]))
            matrix = xgboost.DMatrix(features.iloc[train], labels.iloc[train])
            params = {"tree_method": "hist", "max_depth": DEPTH, "max_bin": BINS, "eta": 0.3, "lambda": 1,
                      "objective": "binary:logistic", "nthread": os.cpu_count()}
            booster = xgboost.train(params, matrix, ROUNDS)
            theirs.append(roc_auc_score(labels.iloc[test], booster.predict(xgboost.DMatrix(features.iloc[test]))))
        a, b = statistics.mean(ours), statistics.mean(theirs)
        print(f"{path.name.split('.')[0]:>10} {a:>10.4f} {b:>9.4f} {a - b:>+11.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="all", choices=["train", "auc", "normals", "paillier", "all"])
    parser.add_argument("--data-dir", default=os.environ.get("MASKBENCH_DATA", ""))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    if not BINARY.exists():
        sys.exit(f"{BINARY} is not there; run scripts/build.sh first")
    todo = ["train", "auc", "normals", "paillier"] if args.what == "all" else [args.what]
    if args.what == "all" and not args.data_dir:
        print("auc skipped: no --data-dir")
        todo.remove("auc")
    if "auc" in todo and not args.data_dir:
        sys.exit("auc needs real data: --data-dir DIR (scripts/fetch_data.py downloads them)")
    for what in todo:
        python = ensure_venv(PEERS[what])
        if what in ("normals", "paillier"):
            bench = ["--bench"] if what == "paillier" else []
            subprocess.run([str(python), str(ROOT / "scripts" / f"bench_{what}.py"), *bench,
                            str(ROOT / "build" / "maskbench_bench")], check=True)
        elif pathlib.Path(sys.prefix) != VENV:  # the libraries live in the venv: go on in there
            subprocess.run([str(python), __file__, what, "--data-dir", args.data_dir, "--rounds", str(args.rounds),
                            "--repeats", str(args.repeats)], check=True)
        elif what == "train":
            train_peers(args.rounds, args.repeats)
        else:
            auc_peers(args.data_dir, args.repeats)


if __name__ == "__main__":
    main()
