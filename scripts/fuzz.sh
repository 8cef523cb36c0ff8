#!/usr/bin/env bash
# Fuzzes every reader of bytes that a stranger may have written: fuzz.sh SECONDS [targets...]
# Builds build-fuzz/ with clang, libFuzzer, ASan and UBSan, runs each target for SECONDS from fuzz/corpus/<target> and ends
# with one line: executions and findings in sum. Fails on any finding, whose input then lies in build-fuzz/found/: put it into
# the corpus with the mend. New inputs that reach further gather in build-fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: fuzz.sh SECONDS [targets...]}
shift
all=(frame link csv gz model paillier config setting results manifest)
# Bytes of an input: no more than a reader needs to show all it does, as short ones are faster.
declare -A longest=([frame]=600 [link]=600 [paillier]=400 [setting]=100 [csv]=1024 [gz]=1024 [config]=1024 [results]=2048)
# Stacks of allocations and a long quarantine take more time than the readers do. Leaks are looked for at the end.
fast=detect_leaks=0:malloc_context_size=0:quarantine_size_mb=8:thread_local_quarantine_size_kb=64
targets=("${@:-${all[@]}}")
scripts/setup.sh clang >&2
cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE='-O2 -gline-tables-only' \
  -DMASKBENCH_FUZZ=ON -DMASKBENCH_SANITIZE=address,undefined -DMASKBENCH_CUDA=OFF -DMASKBENCH_TORCH=OFF \
  -DMASKBENCH_TESTS=OFF -DMASKBENCH_BENCH=OFF -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON >build-fuzz.log 2>&1 ||
  { cat build-fuzz.log >&2; exit 1; }
mv build-fuzz.log build-fuzz/configure.log
cmake --build build-fuzz -j "$(nproc)" --target "${targets[@]/#/fuzz_}" >build-fuzz/build.log ||
  { tail -n 40 build-fuzz/build.log >&2; exit 1; }

executions=0
findings=0
mkdir -p build-fuzz/found
for target in "${targets[@]}"; do
  mkdir -p "build-fuzz/corpus/$target"
  log=build-fuzz/$target.log
  status=0
  ASAN_OPTIONS=$fast build-fuzz/fuzz_"$target" -max_total_time="$seconds" -detect_leaks=0 -timeout=10 \
    -rss_limit_mb=2048 -max_len="${longest[$target]:-4096}" -print_final_stats=1 \
    -artifact_prefix="build-fuzz/found/$target-" \
    "build-fuzz/corpus/$target" "fuzz/corpus/$target" >"$log" 2>&1 || status=$?
  # Every input that reached something new once more, with an eye on leaks.
  [ "$status" -ne 0 ] || build-fuzz/fuzz_"$target" -runs=0 -rss_limit_mb=2048 "build-fuzz/corpus/$target" \
    "fuzz/corpus/$target" >>"$log" 2>&1 || status=$?
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | head -n 1)
  executions=$((executions + ${count:-0}))
  if [ "$status" -ne 0 ]; then
    findings=$((findings + 1))
    echo "$target: FOUND, see $log: $(grep -m1 -E 'ERROR|SUMMARY' "$log" || tail -n 1 "$log")"
  else
    echo "$target: ${count:-0} executions, no finding"
  fi
done
echo "fuzz: $executions executions of ${#targets[@]} targets, $findings findings"
[ "$findings" -eq 0 ]
