#!/usr/bin/env bash
# Configures build/ if need be and builds the given targets: build.sh [targets...] (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/configure.sh
exec ninja -C build -j "$(nproc)" "$@"
