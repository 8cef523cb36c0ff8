#!/usr/bin/env bash
# Installs the Debian packages that are missing: setup.sh [--all] [extra packages...]
# What the program is compiled with; --all adds what the figures and the attack label-nn want, half a gigabyte that can come
# while the rest compiles. Asks nothing; uses sudo only if not root and only if something is missing.
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache git ca-certificates
  libfmt-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev
  libboost-math-dev libeigen3-dev libhwy-dev librandom123-dev libutfcpp-dev
  libgmp-dev libssl-dev zlib1g-dev
  libopenmpi-dev openmpi-bin
  libgrpc++-dev openssl
  libgtest-dev libgmock-dev libbenchmark-dev
  python3
)
if [ "${1:-}" = --all ]; then
  shift
  # OpenBLAS is much faster than the BLAS that comes with libtorch.
  packages+=(python3-matplotlib python3-numpy python3-scipy libtorch-dev libopenblas0-pthread)
fi
packages+=("$@")

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
install_missing() { # waits for another apt
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${missing[@]}" >/dev/null
}
# The lists of packages may be absent or old; getting them takes longer than trying.
install_missing 2>/dev/null || { "${as_root[@]}" apt-get update -qq && install_missing; }
