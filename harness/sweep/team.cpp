#include "harness/sweep/team.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/sweep/machine.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;

long number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atol(text) : 0;
}

// The GPUs that CUDA would show, without starting CUDA: after its start the choice is fixed.
std::vector<std::string> visible_gpus() {
  std::vector<std::string> out;
  if (const char* listed = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::istringstream in(listed);
    for (std::string name; std::getline(in, name, ',');) out.push_back(name);
    return out;
  }
  const fs::path driver = "/proc/driver/nvidia/gpus";
  std::error_code missing;
  for (auto gpu = fs::directory_iterator(driver, missing); !missing && gpu != end(gpu);
       gpu.increment(missing))
    out.push_back(std::to_string(out.size()));
  return out;
}

}  // namespace

bool is_one_of_many_ranks() {
  if (number_in("OMPI_COMM_WORLD_SIZE") > 1 || number_in("PMI_SIZE") > 1) return true;
  return std::getenv("PMIX_RANK") && number_in("SLURM_NTASKS") > 1;
}

bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(variable)) return number_in(variable) == 0;
  }
  return true;
}

int share_of_processors(const Place& place) {
  const bool by_mpi = is_one_of_many_ranks();
  if (by_mpi && std::getenv("OMPI_MCA_hwloc_base_binding_policy")) return usable_processors();
  if (by_mpi) {
    cpu_set_t all;
    for (size_t i = 0; i < sizeof all * 8; ++i) CPU_SET(i, &all);
    // The kernel keeps it within the job's processors. If it refuses, the binding stays.
    if (sched_setaffinity(0, sizeof all, &all) != 0) return usable_processors();
  }
  return std::max(1, usable_processors() / static_cast<int>(place.locals));
}

namespace {

void show_one_gpu(const Place& place) {
  const auto gpus = visible_gpus();
  if (place.locals == 1 || gpus.size() < 2) return;
  setenv("CUDA_VISIBLE_DEVICES", gpus[place.local % gpus.size()].c_str(), 1);
}

}  // namespace

void take_own_gpu(const Place& place) {
  if (!place_of_rank()) show_one_gpu(place);
}

void take_gpu_of_rank() {
  if (const auto place = place_of_rank()) show_one_gpu(*place);
}

std::optional<Place> place_of_rank() {
  if (!is_one_of_many_ranks()) return std::nullopt;
  struct Names {
    const char *rank, *ranks;
  };
  for (const Names& names :
       {Names{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        Names{"MPI_LOCALRANKID", "MPI_LOCALNRANKS"}, Names{"SLURM_LOCALID", "SLURM_NTASKS"}}) {
    if (!std::getenv(names.rank) || !std::getenv(names.ranks)) continue;
    const auto local = static_cast<size_t>(number_in(names.rank));
    const auto locals = static_cast<size_t>(number_in(names.ranks));
    return Place{local, locals, local, locals};
  }
  return std::nullopt;
}

}  // namespace maskbench
