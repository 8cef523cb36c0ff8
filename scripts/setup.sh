#!/usr/bin/env bash
# Installs the Debian packages that are missing. Asks nothing; uses sudo only if not root and only if
# something is missing. Sourced or called by quickstart.sh and test.sh: setup.sh [extra packages...]
# label-nn wants libtorch-dev and libopenblas0-pthread (much faster than the BLAS that comes with it): half a
# gigabyte, so only test.sh asks for them.
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache git ca-certificates
  libfmt-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev
  libboost-math-dev libeigen3-dev libhwy-dev librandom123-dev libutfcpp-dev
  libgmp-dev libssl-dev zlib1g-dev
  libopenmpi-dev openmpi-bin
  libgrpc++-dev openssl
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 python3-matplotlib python3-numpy python3-scipy
  "$@"
)

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not Debian; please install what corresponds to: ${packages[*]}" >&2
  exit 0
fi
missing=()
for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: need root to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
