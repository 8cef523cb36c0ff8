#!/usr/bin/env bash
# Two parties as two processes on this machine, each with its own file, over mutual TLS; then the same run in one
# process, and whether the models are the same: two_parties.sh [DATA.csv] [KEY=VALUE...]
#   DATA.csv   header, first column label; without it a small data set is made up
#   KEY=VALUE  settings of the run, e.g. method=paillier train.rounds=5 (default: masked, 10 trees)
# Everything stays in results/two-parties (or $TWO_PARTIES_OUT). Exit 1 if a model or a result differs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
maskbench=${MASKBENCH:-$root/build/maskbench}
out=${TWO_PARTIES_OUT:-$root/results/two-parties}
port=${TWO_PARTIES_PORT:-7341}
if [ ! -x "$maskbench" ]; then
  "$root/scripts/setup.sh"
  "$root/scripts/build.sh" maskbench
fi
rm -rf "$out"
mkdir -p "$out/data" "$out/log"

data=$out/data/demo.csv
if [ $# -gt 0 ] && [ -f "$1" ]; then
  case $1 in *.gz) data=$data.gz ;; esac
  cp "$1" "$data"
  shift
  columns=$("$root/scripts/split_csv.py" "$data" "$out/data")
else
  columns=$("$root/scripts/split_csv.py" --demo "$data" "$out/data")
fi
cat >"$out/demo.yaml" <<YAML
name: two-parties
data: {dataset: demo, source: file, ap_columns: [$columns]}
train: {rounds: 10, max_depth: 4}
method: masked
mode: materialised
masked: {memory_limit: 67108864}
YAML
settings=()
for setting in "$@"; do settings+=(--set "$setting"); done
"$root/scripts/make_certificates.sh" "$out/tls"

party() { # role, then --listen or --connect
  "$maskbench" party "$out/demo.yaml" --role "$1" --data "$out/data/$1.csv" --out "$out/$1" "$2" "127.0.0.1:$port" \
    --tls "$out/tls/$1" "${settings[@]}" >"$out/log/$1" 2>&1
}
party ap --listen &
ap=$!
party pp --connect || { kill "$ap" 2>/dev/null; wait "$ap" || true; cat "$out/log/ap" "$out/log/pp" >&2; exit 1; }
wait "$ap" || { cat "$out/log/ap" >&2; exit 1; }
"$maskbench" merge "$out/ap" "$out/pp" --out "$out/two" >"$out/log/merge"
"$maskbench" run "$out/demo.yaml" --data-dir "$out/data" --out "$out/one" --save-models "${settings[@]}" \
  >"$out/log/one" 2>&1 || { cat "$out/log/one" >&2; exit 1; }
exec python3 "$root/scripts/compare_parties.py" "$out"
