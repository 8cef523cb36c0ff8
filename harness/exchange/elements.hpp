#pragma once

#include <cstdint>

#include "harness/data/candidate.hpp"
#include "kernels/score.hpp"

// The elements of messages that more than one room reads: a protocol sends them, an attack looks at
// them. Fixed sizes, no padding: they are the bytes on the wire.
namespace maskbench {

// PP's best split of a node, as AP sees it: how good it is. Which split it is stays with PP.
struct Proposal {
  double score = kNoSplit;
  int64_t id = -1;  // opaque to AP
};

// What AP tells PP of a node.
struct Decision {
  enum class Verdict : int64_t {
    leaf,
    ap,        // AP's split; AP sends the rows that go left
    pp,        // PP's split `id`; PP sends the rows that go left
    borrowed,  // a split on PP's feature that AP chose on its copy of PP's data; AP knows the rows
  };
  int64_t id = -1;
  Verdict verdict = Verdict::leaf;
};

// A borrowed split in the id of a decision.
inline int64_t encode(const Candidate& c) {
  return int64_t{c.feature} << 16 | int64_t{c.bin} << 1 | (c.missing_left ? 1 : 0);
}
inline Candidate decode(int64_t id) {
  return {static_cast<uint16_t>(id >> 16), static_cast<uint8_t>(id >> 1 & 255), (id & 1) != 0};
}

// Of a candidate whose noise follows: AP scales by n_A. Which feature and threshold it is stays
// with PP.
struct CandidateHeader {
  uint32_t place = 0;   // the node, in the level
  uint32_t id = 0;      // opaque
  uint32_t active = 0;  // n_A
};

// A feature of PP as AP must know it to search its sums. The last bin holds missing values, if
// there are any.
struct BinsHeader {
  int32_t value_bins = 0;
  int32_t has_missing = 0;
};

// A feature of PP whose buckets follow, and how they were drawn.
struct BucketHeader {
  int32_t value_bins = 0;
  int32_t has_missing = 0;
  double keep = 1;
  double other = 0;
};

// The same where bucket i becomes j with a probability that falls with |i - j| as decay^|i - j|.
struct OrderHeader {
  int32_t value_bins = 0;
  int32_t has_missing = 0;
  double decay = 0;
};

}  // namespace maskbench
