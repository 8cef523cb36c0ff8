#!/usr/bin/env bash
# Configures build/ if need be and builds the given targets: build.sh [targets...] (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
if [ ! -f build/build.ninja ]; then
  # Say what was found in one line; the whole story is in build/configure.log.
  mkdir -p build
  # Unity: eight sources at a time are one for the compiler, which reads their headers once: about half the time.
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON >build/configure.log 2>&1 ||
    { cat build/configure.log >&2; exit 1; }
  grep 'maskbench:' build/configure.log || true
fi
cmake --build build -j "$jobs" ${1:+--target "$@"}
