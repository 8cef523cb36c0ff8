#!/usr/bin/env bash
# Runs the test programs under a sanitizer: sanitize.sh asan|tsan [names of test programs, e.g. app data]
# Builds build-asan/ or build-tsan/ by the preset of that name and ends with one line: tests run and findings.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-}
case $kind in asan | tsan) ;; *) echo "usage: sanitize.sh asan|tsan [names...]" >&2; exit 2 ;; esac
shift
all=(kernels base data trees privacy exchange masked baselines paillier attacks judge fuzz party app)
names=("${@:-${all[@]}}")

# What a sanitizer cannot follow, by name:
# - What runs on the CUDA shim has a block's threads as fibres that change stacks by longjmp (tests/kernels/cuda_on_host). TSan
#   takes that for a damaged stack and aborts; ASan keeps its own notes of one stack. (The parties' own fibres,
#   harness/exchange/fibre.cpp, tell both sanitizers of every change of stacks and are not left out.)
# - Mpi and Ranks start mpirun, whose own library is not instrumented; the presets build without MPI.
# - A limit on memory (Hostile.threads...) leaves no room for a sanitizer's shadow: the test is not built there.
# - Tests of kills and locks under TSan only wait longer: their processes share memory over mmap, which it does not see.
exclude='-CudaOnHost*:*cuda_on_host*:ConformancePower*:*Shim*:*Device*:*device*:Mpi*:Ranks*'
[ "$kind" = tsan ] && exclude+=':Workers*:Process.kill*'

scripts/setup.sh >&2
cmake --preset "$kind" -DMASKBENCH_TORCH=OFF -DMASKBENCH_BENCH=OFF -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' >"build-$kind.log" 2>&1 || { cat "build-$kind.log" >&2; exit 1; }
mv "build-$kind.log" "build-$kind/configure.log"
cmake --build "build-$kind" -j "$(nproc)" --target "${names[@]/#/test_}" >"build-$kind/build.log" ||
  { tail -n 40 "build-$kind/build.log" >&2; exit 1; }

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=0:exitcode=66:suppressions=$PWD/cmake/tsan.supp
tests=0
findings=0
for name in "${names[@]}"; do
  log=build-$kind/test_$name.log
  status=0
  "build-$kind/test_$name" --gtest_filter="$exclude" >"$log" 2>&1 || status=$?
  ran=$(sed -n 's/^\[==========\] \([0-9]*\) tests\{0,1\} from .* ran\..*/\1/p' "$log")
  reports=$(grep -cE '(ERROR|WARNING): (Address|Thread|Leak)Sanitizer|runtime error:' "$log" || true)
  failed=$(grep -c '^\[  FAILED  \].*(' "$log" || true)
  tests=$((tests + ${ran:-0}))
  if [ "$status" -ne 0 ] || [ "$reports" -gt 0 ]; then
    findings=$((findings + 1))
    echo "test_$name: ${ran:-0} tests, $failed failed, $reports reports, see $log"
  else
    echo "test_$name: ${ran:-0} tests, clean"
  fi
done
echo "sanitize $kind: $tests tests of ${#names[@]} programs, $findings programs with findings"
[ "$findings" -eq 0 ]
