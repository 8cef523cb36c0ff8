#!/usr/bin/env bash
# From a fresh clone to results: installs what is missing, builds, runs configs/quickstart.yaml,
# prints a table and where the CSV and the figures are.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh libtorch-dev libopenblas0-pthread   # for the attack label-nn
scripts/build.sh maskbench
build/maskbench run configs/quickstart.yaml --out results/quickstart --update
/usr/bin/python3 scripts/figures.py quickstart
