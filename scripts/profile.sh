#!/bin/sh
# profile.sh CONFIG [maskbench option...]: one run under Nsight Systems. Leaves in profile-NAME/: nsys's report, its
# sums as CSV (ranges, API calls, kernels, copies) and one figure of them. docs/profiling.md tells how to read the ranges.
# MASKBENCH names the binary (default build-cuda/maskbench), PROFILE_OUT the folder.
set -eu
if [ $# -lt 1 ]; then
  echo "usage: scripts/profile.sh CONFIG [maskbench option...]" >&2
  exit 2
fi
config=$1
shift
binary=${MASKBENCH:-build-cuda/maskbench}
if [ ! -f "$config" ]; then
  echo "profile.sh: $config: no such config" >&2
  exit 2
fi
if [ ! -x "$binary" ]; then
  echo "profile.sh: $binary is not built; cmake --preset cuda && cmake --build --preset cuda, or set MASKBENCH" >&2
  exit 2
fi
if ! command -v nsys >/dev/null; then
  echo "profile.sh: nsys is missing; install Nsight Systems (NVIDIA's package nsight-systems-cli, or the cuda-nsight-systems package of the toolkit)" >&2
  exit 2
fi
name=$(basename "$config" .yaml)
out=${PROFILE_OUT:-profile-$name}
mkdir -p "$out"
nsys profile --trace=cuda,nvtx,osrt --force-overwrite=true --output="$out/$name" \
  "$binary" run "$config" --out "$out/results" --fresh "$@"
nsys stats --report nvtx_sum,cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum --format csv --force-overwrite=true \
  --output "$out/$name" "$out/$name.nsys-rep"
"$(dirname "$0")/profile_figure.py" "$out" "$name"
