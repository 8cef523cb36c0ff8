#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/exchange/training.hpp"
#include "harness/judge/prepare.hpp"
#include "harness/privacy/accountant.hpp"

namespace maskbench {

// Test metrics after each round of a finished training, then the last round's again as the run's.
// `query_key`: of the noise on PP's answers, if the model has any.
std::vector<Metric> test_metrics(const RunSpec& spec, const PreparedData& data, const Model& model,
                                 const RandomKey& query_key, ThreadPool& pool);

// The same from the margins before the first round, where a round's weights are added by somebody
// else: by two parties, say.
using AddRound = std::function<void(size_t round, std::span<float> margins)>;
std::vector<Metric> test_metrics(const RunSpec& spec, const std::vector<float>& labels,
                                 std::vector<float> margins, size_t rounds,
                                 const AddRound& add_round);

// Time, memory and the fit on the training rows.
std::vector<Metric> training_metrics(const RunSpec& spec, const PreparedData& data,
                                     const TrainResult& result, const RandomKey& query_key,
                                     ThreadPool& pool);
// Bytes, in all and by sender and kind.
std::vector<Metric> wire_metrics(const Tape& tape);
// What a cost is as a number of the results.
Metric eps_metric(const std::string& name, const privacy::Cost& cost);
// What the messages cost: under the run's own reading from every view (eps), all of them added up
// exactly (eps_training), and under the other readings (eps_other) unless the run's own says it
// already: infinite or 0, and why.
std::vector<Metric> privacy_metrics(const privacy::PrivacyAccountant& accountant);

}  // namespace maskbench
