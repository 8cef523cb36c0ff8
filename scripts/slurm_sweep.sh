#!/usr/bin/env bash
# Submits a sweep to Slurm. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
slurm_sweep.sh [-s "SBATCH OPTIONS"] CONFIG [N] [maskbench run options...]

Submits a job array of N shards (default 4) of CONFIG that write into one --out (default results/NAME, which all nodes
must share), and a job that afterwards puts results.csv together and says what is done. A shard uses the processors that
Slurm gave it unless --threads says otherwise. To go on after a failure or a time limit give the same command again:
finished runs are kept.

  -s "OPTIONS"   options of sbatch, e.g. -s "--partition gpu --gpus 1 --cpus-per-task 8 --time 4:00:00"

  scripts/slurm_sweep.sh configs/fig-utility.yaml 16 --data-dir /shared/data --out /shared/fig-utility
  scripts/slurm_sweep.sh configs/paper.yaml 8 --scale small

MASKBENCH names the program (default: build/maskbench beside this script). Prints the two job numbers.
TEXT
}

fail() { echo "slurm_sweep: $*" >&2; exit 1; }

sbatch_options=()
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  -s)
    [ $# -ge 2 ] || fail "-s needs the options of sbatch; see --help"
    read -ra sbatch_options <<<"$2"
    shift 2
    ;;
esac
[ $# -ge 1 ] || { usage >&2; exit 2; }
config=$1
shift
shards=4
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then
  shards=$1
  shift
fi

program=${MASKBENCH:-$(dirname "$(readlink -f "$0")")/../build/maskbench}
program=$(readlink -f "$program") || fail "no such program: $program"
[ -x "$program" ] || fail "$program is not there; build it first (scripts/build.sh), or name it in MASKBENCH"
[ "$shards" -ge 1 ] || fail "the number of shards must be 1 or more"
command -v sbatch >/dev/null || fail "sbatch is not on PATH; without Slurm use maskbench run --workers N"

out='' threads=''
shown=()
arguments=("$@")
for ((i = 0; i < $#; ++i)); do
  case "${arguments[i]}" in
    --out) out=${arguments[i + 1]:-} ;;
    --out=*) out=${arguments[i]#--out=} ;;
    --threads | --threads=*) threads=given ;;
    --set | --scale | --data-dir) shown+=("${arguments[i]}" "${arguments[i + 1]:-}") ;;
    --set=* | --scale=* | --data-dir=*) shown+=("${arguments[i]}") ;;
    --shard | --shard=* | --fresh) fail "${arguments[i]} does not go with shards that share a directory" ;;
  esac
done
into=()
[ -n "$out" ] || { out=results/$(basename "$config" .yaml); into=(--out "$out"); }
# A bad config is told now, not in N logs.
"$program" show "$config" "${shown[@]}" >/dev/null || exit 1
mkdir -p "$out/slurm"

# Expanded in the job: which shard it is and, unless the user said, how many processors it has.
shard="--shard \$SLURM_ARRAY_TASK_ID/$shards"
[ -n "$threads" ] || shard+=" --threads \${SLURM_CPUS_PER_TASK:-\$SLURM_CPUS_ON_NODE}"
quoted() { printf '%q ' "$@"; }

array=$(sbatch --parsable --job-name=maskbench --array="1-$shards" --output="$out/slurm/%A_%a.log" \
  "${sbatch_options[@]}" \
  --wrap "exec $(quoted "$program" run "$config" "$@" "${into[@]}")$shard")
array=${array%%;*}
end=$(sbatch --parsable --job-name=maskbench-end --dependency="afterany:$array" --output="$out/slurm/%j.log" \
  "${sbatch_options[@]}" \
  --wrap "$(quoted "$program" merge "$out" --out "$out"); $(quoted "$program" status "$out")")
echo "shards: job $array (1-$shards), end: job ${end%%;*}, logs: $out/slurm/, follow: $program status $out"
