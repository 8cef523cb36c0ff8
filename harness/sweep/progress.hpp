#pragma once

#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "harness/base/terminal.hpp"
#include "harness/sweep/cost.hpp"

namespace maskbench {

// One live line with a bar on a terminal; elsewhere a line for each run that ends.
class Progress {
 public:
  Progress(std::FILE* out, const Terminal& terminal) : out_(out), terminal_(terminal) {}

  // The runs to do, by that many processes at a time.
  void plan(std::vector<PlanEntry> todo, size_t processes);
  void learn(const PlanEntry& entry, double seconds) { log_.learn(entry, seconds); }

  void begin(const PlanEntry& entry);
  void tree(int done, int total);
  void attack(int done, int total);
  // A run of this process or of another. outcome: "test_auc 0.91", "failed: ..."
  void end(const PlanEntry& entry, double seconds, const std::string& outcome);
  bool has_ended(const PlanEntry& entry) const { return ended_.contains(entry.run); }
  void idle();   // this process waits for the others
  void clear();  // the live line, before something else is printed

 private:
  void draw_step(const char* what, int done, int total);
  void draw(const std::string& what);
  std::string bar() const;
  double seconds_left() const;
  std::string title(const PlanEntry& entry) const;
  bool time_to_draw();

  std::FILE* out_;
  Terminal terminal_;
  std::vector<PlanEntry> todo_;
  size_t processes_ = 1;
  std::set<std::string> ended_;
  CostLog log_;
  PlanEntry current_;
  double share_ = 0;  // of the current run's trees that are done
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace maskbench
