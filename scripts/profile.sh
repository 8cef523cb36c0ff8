#!/bin/sh
# profile.sh CONFIG [maskbench option...]: one run under Nsight Systems; docs/profiling.md tells how
# to read the ranges. MASKBENCH names the binary (default build-cuda/maskbench).
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
report=profile-$(basename "$config" .yaml)
nsys profile --trace=cuda,nvtx,osrt --force-overwrite=true --output="$report" \
  "$binary" run "$config" "$@"
nsys stats --report nvtx_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum "$report.nsys-rep"
