#!/usr/bin/env bash
# Fuzzes every reader of bytes that a stranger may have written: fuzz.sh [-j JOBS] SECONDS [TARGET[:SECONDS]...]
# Builds build-fuzz/ with clang, libFuzzer, ASan and UBSan, runs each target for SECONDS (or its own) from fuzz/corpus/<target>, JOBS
# of them at a time (default: as many as there are cores), and ends with one line: executions and findings in sum. Fails on
# any finding, whose input then lies in build-fuzz/found/: put it into the corpus with the mend. New inputs that reach further
# gather in build-fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { echo "usage: fuzz.sh [-j JOBS] SECONDS [TARGET[:SECONDS]...]" >&2; exit 2; }
is_number() { [[ $1 =~ ^[1-9][0-9]*$ ]]; }
jobs=$(nproc)
if [ "${1:-}" = -j ]; then jobs=${2:-}; shift 2 || usage; fi
seconds=${1:-}
is_number "$jobs" && is_number "$seconds" || usage
shift
all=(frame link csv gz model paillier config setting results manifest)
# Bytes of an input: no more than a reader needs to show all it does, as short ones are faster.
declare -A longest=([frame]=600 [link]=600 [csv]=1024 [gz]=1024 [model]=1024 [paillier]=400 [config]=1024 [setting]=100
  [results]=2048 [manifest]=1024)
declare -A lasts=()
targets=()
for wanted in "${@:-${all[@]}}"; do
  target=${wanted%%:*}
  [ -n "${longest[$target]:-}" ] || { echo "fuzz.sh: no target '$target'; there are ${all[*]}" >&2; exit 2; }
  [ -z "${lasts[$target]:-}" ] || { echo "fuzz.sh: '$target' twice; two runs of it would share a folder" >&2; exit 2; }
  lasts[$target]=$seconds
  [ "$wanted" = "$target" ] || lasts[$target]=${wanted#*:}
  is_number "${lasts[$target]}" || usage
  targets+=("$target")
done
# Stacks of allocations and a long quarantine take more time than the readers do. Leaks are looked for at the end.
fast=detect_leaks=0:malloc_context_size=0:quarantine_size_mb=8:thread_local_quarantine_size_kb=64

scripts/setup.sh clang >&2
cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE='-O2 -gline-tables-only' -DCMAKE_UNITY_BUILD=ON \
  -DMASKBENCH_FUZZ=ON -DMASKBENCH_SANITIZE=address,undefined -DMASKBENCH_CUDA=OFF -DMASKBENCH_TORCH=OFF \
  -DMASKBENCH_TESTS=OFF -DMASKBENCH_BENCH=OFF -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON >build-fuzz.log 2>&1 ||
  { cat build-fuzz.log >&2; exit 1; }
mv build-fuzz.log build-fuzz/configure.log
cmake --build build-fuzz -j "$(nproc)" --target "${targets[@]/#/fuzz_}" >build-fuzz/build.log ||
  { tail -n 40 build-fuzz/build.log >&2; exit 1; }

# Runs one target and says in build-fuzz/<target>.result what came of it: executions, 0 or 1 findings.
fuzz() {
  local target=$1 log=build-fuzz/$1.log status=0 count
  ASAN_OPTIONS=$fast build-fuzz/fuzz_"$target" -max_total_time="${lasts[$target]}" -detect_leaks=0 -timeout=10 \
    -rss_limit_mb=2048 -max_len="${longest[$target]}" -reload=0 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/found/$target-" \
    "build-fuzz/corpus/$target" "fuzz/corpus/$target" >"$log" 2>&1 || status=$?
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  # Every input that reached something new once more, with an eye on leaks.
  [ "$status" -ne 0 ] || build-fuzz/fuzz_"$target" -runs=0 -rss_limit_mb=2048 "build-fuzz/corpus/$target" \
    "fuzz/corpus/$target" >>"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    echo "$target: FOUND, see $log: $(grep -m1 -E 'ERROR|SUMMARY' "$log" || tail -n 1 "$log")"
  else
    echo "$target: ${count:-0} executions, no finding"
  fi
  echo "${count:-0} $((status != 0))" >"build-fuzz/$target.result"
}

mkdir -p build-fuzz/found "${targets[@]/#/build-fuzz/corpus/}"
for target in "${targets[@]}"; do
  rm -f "build-fuzz/$target.result"
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  fuzz "$target" &
done
wait
executions=0
findings=0
for target in "${targets[@]}"; do
  count=0 found=1  # of a target that did not come to its end
  [ ! -f "build-fuzz/$target.result" ] || read -r count found <"build-fuzz/$target.result"
  executions=$((executions + count))
  findings=$((findings + found))
done
echo "fuzz: $executions executions of ${#targets[@]} targets, $findings findings"
[ "$findings" -eq 0 ]
