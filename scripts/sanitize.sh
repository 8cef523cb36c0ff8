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
# - Thrust binds a reference to a null policy in its stable_partition: UBSan's finding in NVIDIA's header, none of ours.
# - Two tests of the judge take 5 minutes each under TSan (1 and 3 under ASan, where they run).
exclude='-CudaOnHost*:*cuda_on_host*:ConformancePower*:*Shim*:*Device*:*device*:Mpi*:Ranks*'
case $kind in
  asan) exclude+=':Cccl.rows_are_partitioned_as_by_thrusts_stable_partition' ;;
  tsan) exclude+=':Transcript.every_fault_shows_more_than_is_claimed:Transcript.what_a_mechanism_covers_is_not_accused' ;;
esac

scripts/setup.sh python3-matplotlib python3-numpy python3-scipy >&2
cmake --preset "$kind" -DMASKBENCH_TORCH=OFF -DMASKBENCH_BENCH=OFF -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' >"build-$kind.log" 2>&1 || { cat "build-$kind.log" >&2; exit 1; }
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
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) tests\{0,1\}, listed.*/\1/p' "$log")  # they want what is not installed
  ran=$((${ran:-0} - ${skipped:-0}))
  reports=$(grep -cE '(ERROR|WARNING): (Address|Thread|Leak)Sanitizer|runtime error:' "$log" || true)
  failed=$(grep -c '^\[  FAILED  \].*(' "$log" || true)
  tests=$((tests + ran))
  if [ "$status" -ne 0 ] || [ "$reports" -gt 0 ]; then
    findings=$((findings + 1))
    echo "test_$name: $ran tests, $failed failed, $reports reports, see $log"
  else
    echo "test_$name: $ran tests, clean"
  fi
done
echo "sanitize $kind: $tests tests of ${#names[@]} programs, $findings programs with findings"
[ "$findings" -eq 0 ]
