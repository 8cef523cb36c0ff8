#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace maskbench {

// A candidate split of one party: rows with bin <= `bin` go left; missing values go where
// `missing_left` says.
struct Candidate {
  uint16_t feature = 0;  // index within the party's features
  uint8_t bin = 0;
  bool missing_left = false;
  bool operator==(const Candidate&) const = default;
};

// The same in the units of the data: what a party keeps of a split it owns.
struct SplitRule {
  std::string feature;
  float threshold = 0;  // left iff x <= threshold
  bool missing_left = false;
  Candidate candidate;
};

// One bit for each row of a node, in the node's order; 1 = left.
using RowBits = std::vector<uint64_t>;
inline size_t bit_words(size_t rows) {
  return (rows + 63) / 64;
}

}  // namespace maskbench
