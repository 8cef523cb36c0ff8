#pragma once

#include <map>
#include <span>
#include <string>

#include "harness/base/spec.hpp"
#include "harness/config/config.hpp"
#include "harness/sweep/store.hpp"

namespace maskbench {

// Seconds a run may take on two cores: a rough guess from its method and the shape of its data
// (what `seen` says, else what the spec and the data set's name say), good to a factor of a few. It
// weighs runs against each other; CostLog corrects it by what runs really took.
double estimated_seconds(const RunSpec& spec, const DataShape& seen = {});

class CostLog {
 public:
  void learn(const PlanEntry& entry, double seconds);
  double predict(const PlanEntry& entry) const;

 private:
  struct Sum {
    double seconds = 0;
    double cost = 0;
  };
  std::map<std::string, Sum> by_kind_;
  Sum all_;
};

}  // namespace maskbench
