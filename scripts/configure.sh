#!/usr/bin/env bash
# Configures build/ if it is not yet, or if libtorch came since.
set -euo pipefail
cd "$(dirname "$0")/.."

log=build/configure.log
if [ ! -f build/build.ninja ] || [ /var/lib/dpkg/info/libtorch-dev.list -nt "$log" ]; then
  # Say what was found in one line; the whole story is in the log.
  mkdir -p build
  # Unity: a whole room is one source for the compiler, which reads its headers once: less than half the time.
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; exit 1; }
  grep 'maskbench:' "$log" || true
fi
