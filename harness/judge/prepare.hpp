#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/spec.hpp"
#include "harness/data/partition.hpp"
#include "harness/data/party.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

// A run's data as the two parties hold it, split and binned.
struct PreparedData {
  std::string source;
  std::string sha256;
  std::vector<float> train_labels;
  std::vector<float> test_labels;
  PartyData ap, pp;            // the training rows
  PartyData ap_test, pp_test;  // the test rows, cut as the training rows
  std::vector<FeatureInfo> ap_features, pp_features;
};

// One party's features, cut by its own training rows.
struct PartyParts {
  PartyData train, test;
  std::vector<FeatureInfo> info;
};
// What PP releases may be cut coarser than what AP searches.
int pp_bins(const RunSpec& spec);
PartyParts party_parts(const Dataset& data, const std::vector<int>& features,
                       const RowPartition& rows, int max_bins);

// The keys of a run's randomness, the same for every method: who holds which features, which rows
// train, and what is random in the training.
uint64_t partition_key(const RunSpec& spec);
uint64_t split_key(const RunSpec& spec);
uint64_t noise_key(const RunSpec& spec);

// Loads, splits and bins. The last data set and the last preparation are kept: the runs of a sweep
// that differ only in their method or budget share them.
std::shared_ptr<const PreparedData> prepare(const RunSpec& spec, const std::string& data_dir,
                                            ThreadPool& pool);

}  // namespace maskbench
