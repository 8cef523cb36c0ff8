#include "harness/base/error.hpp"
#include "harness/sweep/team.hpp"

namespace maskbench {

std::unique_ptr<Team> mpi_team() {
  throw Error(
      "several ranks were started, but this maskbench was built without MPI; use --workers N on "
      "one machine or --shard i/N on several, or install libopenmpi-dev and build anew");
}

bool built_with_mpi() {
  return false;
}

}  // namespace maskbench
