#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/sweep/work_queue.hpp"

namespace maskbench {

// Where a process stands among those that share the runs of a sweep; member 0 leads.
struct Place {
  size_t member = 0;
  size_t members = 1;
  size_t local = 0;  // among the members on this machine
  size_t locals = 1;
};

// What a member other than the leader does with the queue; throws if it cannot go on.
using Follow = std::function<void(const Place&, WorkQueue&)>;

// The leader prepares the directory, hands out the runs, shows progress and reports. Whoever is
// free takes the next run. At its end a leader's team tells the others to stop and waits for them.
class Team {
 public:
  virtual ~Team() = default;
  virtual Place place() const = 0;

  // In a process that began as another member than the leader: all that it has to do.
  virtual void follow(const Follow& follow) = 0;

  // In the leader: the queue from which it and the others, by `follow`, now take the runs.
  virtual WorkQueue& lead(std::vector<size_t> todo, const Follow& follow) = 0;

  // In the leader, once it takes no more runs itself: calls `meanwhile` now and then until the
  // others have ended, and says what went wrong with them ("worker 2 of 4: ...").
  virtual std::vector<std::string> wait(const std::function<void()>& meanwhile) = 0;
};

// Processes of this machine, forked when the work begins; 1 is a team of this process alone. No
// thread may have been started before.
std::unique_ptr<Team> local_team(size_t workers);

// The ranks mpirun started; an Error if this was built without MPI.
std::unique_ptr<Team> mpi_team();
bool built_with_mpi();

// Whether mpirun (or srun with PMI) started several of this process, by the environment alone.
bool is_one_of_many_ranks();
bool is_first_rank();

// A member's part of the machine's processors, at least 1. Undoes mpirun's default binding of a
// rank to one core, which would leave the others idle; a binding that was asked for is kept.
int share_of_processors(const Place& place);

// Where mpirun (or srun) has put this rank, if the environment says so.
std::optional<Place> place_of_rank();
// Shows this process one GPU of the visible ones, by its local number. Before CUDA's first call. A
// rank of a known place has taken it already ...
void take_own_gpu(const Place& place);
// ... by this, before MPI starts, because an MPI that knows CUDA starts CUDA, too.
void take_gpu_of_rank();

}  // namespace maskbench
