#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests: test.sh [ctest options...]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/configure.sh                # before more packages come, of which it might see half
scripts/build.sh &                  # compiles while they come
build=$!
trap 'kill "$build" 2>/dev/null' EXIT
# Slurm (13 MB): a test starts one of a single node and submits a sweep to it. xlrd: the converter of one data set.
scripts/setup.sh --all python3-venv python3-xlrd python3-pandas python3-pip python3-setuptools munge slurmctld slurmd slurm-client
# Chromium (290 MB) opens the report's page. Without it that test is skipped and says so.
scripts/setup.sh chromium || echo "test: Chromium could not be installed; the report's page will not be opened" >&2

# Peers from PyPI that some tests compare with. Without them those tests are skipped and say so.
venv=build/venv
if ! cmp -s tests/requirements.txt "$venv/ready"; then  # ready: what was installed
  /usr/bin/python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check \
    -r tests/requirements.txt && cp tests/requirements.txt "$venv/ready" ||
    echo "test: the Python peers could not be installed; their tests will be skipped" >&2
fi
[ -f "$venv/ready" ] && export MASKBENCH_PYTHON="$PWD/$venv/bin/python"

wait "$build"
trap - EXIT
scripts/build.sh                    # what was compiled without libtorch, if it came only now
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@"
