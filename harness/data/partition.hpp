#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/spec.hpp"
#include "harness/data/dataset.hpp"

namespace maskbench {

// `count` of the rows, drawn by the seed, in ascending order. Stratified: each class has its share
// of them to a row, and at least one if it has any. The purpose keeps the draws of one seed apart.
std::vector<uint32_t> draw_rows(std::span<const float> labels, size_t count, bool stratified,
                                uint64_t seed, const std::string& purpose);

struct RowPartition {
  std::vector<uint32_t> train;  // ascending
  std::vector<uint32_t> test;   // ascending
};

// Each class (with regression: all rows) gives its share to the test rows, to the nearest row, and
// at least one row to either part.
RowPartition partition_rows(const Dataset& data, double test_fraction, bool regression,
                            uint64_t seed);

// Which features each party holds, ascending.
struct FeaturePartition {
  std::vector<int> ap;
  std::vector<int> pp;
};

// AP holds data.ap_columns if given, else the share data.ap_features drawn by the seed.
FeaturePartition partition_features(const Dataset& data, const DataSpec& spec, uint64_t seed);

}  // namespace maskbench
