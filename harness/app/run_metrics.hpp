#pragma once

#include <vector>

#include "harness/app/prepare.hpp"
#include "harness/core/boosting.hpp"
#include "harness/core/metric.hpp"
#include "harness/core/wire.hpp"
#include "harness/privacy/accountant.hpp"

namespace maskbench {

// Follows a training from outside: test margins after each tree, the metrics of each round.
class Judge {
 public:
  Judge(const RunSpec& spec, const PreparedData& data, ThreadPool& pool, float base_margin);

  void after_tree(int round, const Tree& tree, const Method& method);

  // All rounds' metrics, then the last round's again as the run's.
  std::vector<Metric> metrics() const;

 private:
  std::vector<Metric> test_metrics(int round) const;

  const RunSpec& spec_;
  const PreparedData& data_;
  ThreadPool& pool_;
  std::vector<float> margins_;
  std::vector<Metric> metrics_;
  std::vector<Metric> last_;
};

// Time, memory and the fit on the training rows.
std::vector<Metric> training_metrics(const RunSpec& spec, const PreparedData& data,
                                     const TrainResult& result);
// Bytes by sender and kind.
std::vector<Metric> wire_metrics(const Wire& wire);
// What the messages cost: under the run's own reading from every view, and under other readings.
std::vector<Metric> privacy_metrics(const privacy::PrivacyAccountant& accountant);

}  // namespace maskbench
