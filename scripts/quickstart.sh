#!/usr/bin/env bash
# From a fresh clone to results: installs what is missing, builds, runs configs/quickstart.yaml, prints a table, draws
# the figures and makes a report page.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/configure.sh                # before more packages come, of which it might see half
scripts/build.sh maskbench &        # compiles while they come
build=$!
trap 'kill "$build" 2>/dev/null' EXIT
scripts/setup.sh --all
wait "$build"
trap - EXIT
scripts/build.sh maskbench          # libtorch is here now: label-nn
build/maskbench run configs/quickstart.yaml --out results/quickstart --update
build/maskbench report results/quickstart --figures
cat <<END

The report: $PWD/results/quickstart/report.html

Next:
  build/maskbench list                              # methods, attacks, data sets
  build/maskbench show configs/fig-utility.yaml     # the paper's main figure: what would run, how long
  cp configs/quickstart.yaml my.yaml && build/maskbench run my.yaml   # your own: change what you like
END
