#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "harness/app/config.hpp"
#include "harness/app/execute.hpp"

namespace maskbench::testing {

// Stands in for execute(): its metrics follow from the spec alone. Method smm fails unless the
// environment has FAKE_SMM_WORKS; a tree takes FAKE_TREE_US microseconds; each start of a run is a
// line in the file FAKE_LOG.
RunResult fake_execute(const RunSpec& spec, const ExecuteContext& context);

// A directory of its own for each test, removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;  // its path

 private:
  std::string path_;
};

using Environment = std::map<std::string, std::string>;

struct Ended {
  int code = -1;    // exit code, or 128 + signal
  std::string out;  // stdout
  std::string err;  // stderr
};

// maskbench with fake_execute, in a process of its own.
class Process {
 public:
  Process(const TempDir& dir, const std::vector<std::string>& args,
          const Environment& environment = {});
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
                const Environment& environment = {});

// The records of a results.csv without its header, sorted, without those of run_seconds.
std::vector<std::string> sorted_rows(const std::string& path);

std::string what_of(const std::function<void()>& action);  // the message of the Error it throws

}  // namespace maskbench::testing
