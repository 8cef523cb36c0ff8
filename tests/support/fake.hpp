#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/config/config.hpp"
#include "harness/judge/execute.hpp"
#include "tests/support/scratch_dir.hpp"

namespace maskbench::testing {

// Stands in for execute(): its metrics follow from the spec alone. Method smm fails unless the
// environment has FAKE_SMM_WORKS; a tree takes FAKE_TREE_US microseconds; each start of a run is a
// line in the file FAKE_LOG, and the GPUs it sees a line in FAKE_GPU_LOG.
RunResult fake_execute(const RunSpec& spec, const ExecuteContext& context);

using TempDir = ScratchDir;
using Environment = std::map<std::string, std::string>;
inline const Environment kReal = {{"REAL_RUNS", "1"}};  // with execute, see Process

struct Ended {
  int code = -1;    // exit code, or 128 + signal
  std::string out;  // stdout
  std::string err;  // stderr
};

// maskbench with fake_execute (with REAL_RUNS in its environment: with execute), in a process of
// its own or started by a launcher: {"mpirun", ...}.
class Process {
 public:
  Process(const TempDir& dir, const std::vector<std::string>& args,
          const Environment& environment = {}, const std::vector<std::string>& launcher = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  void signal(int number) const;
  bool running() const;
  Ended wait();
  std::string err_so_far() const;

 private:
  pid_t pid_;
  std::string out_;
  std::string err_;
};

Ended maskbench(const TempDir& dir, const std::vector<std::string>& args,
                const Environment& environment = {}, const std::vector<std::string>& launcher = {});

std::set<std::string> finished_runs(const std::string& dir);
std::vector<std::string> lines_of(const std::string& path);  // none if there is no such file

// Until that many runs have begun, or the process has ended.
void wait_for_runs(Process& process, const std::string& log, size_t number);
void wait_for_text(Process& process, const std::string& text);  // on stderr

// The records of a results.csv and of the runs.csv beside it without their headers, sorted, without
// those of run_seconds.
std::vector<std::string> sorted_rows(const std::string& path);

// The value of a run's metric, of a party in the view `stated` if one is given; the directory holds
// one run.
double metric_of(const std::string& dir, const std::string& name, const std::string& party = "");

size_t widest(const std::string& text);  // of its lines, in bytes

std::string what_of(const std::function<void()>& action);  // the message of the Error it throws

}  // namespace maskbench::testing
