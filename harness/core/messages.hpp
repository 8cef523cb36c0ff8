#pragma once

#include <cstdint>

// The elements of messages that more than one room reads: a protocol sends them, an attack looks at
// them.
namespace maskbench {

// masked: what PP tells of a candidate along with its noise: AP scales by n_A. Which feature and
// threshold it is stays with PP.
struct CandidateHeader {
  uint32_t place = 0;   // the node, in the level
  uint32_t id = 0;      // opaque
  uint32_t active = 0;  // n_A
};

// paillier: a feature of PP as AP must know it. The last bin holds missing values, if there are any.
struct BinsHeader {
  int32_t value_bins = 0;
  int32_t has_missing = 0;
};

// federboost, bilateral-rr: what PP says of a feature beside the buckets themselves.
struct BucketHeader {
  int32_t value_bins = 0;
  int32_t has_missing = 0;
  double keep = 1;
  double other = 0;
};

}  // namespace maskbench
