#pragma once

#include <cstdint>
#include <vector>

#include "attacks/attack.hpp"

namespace maskbench {

// What label-nn learns from and is then asked, row after row, standardised by the fabricated part.
// A record's inputs: for each of a few candidates of the first root the W entries of b, <g> and <h>
// (no <h> if only gradients travel).
struct Lesson {
  size_t inputs = 0;
  std::vector<float> fabricated;  // attack.train_rows records that PP made up ...
  std::vector<float> g;           // ... and their gradients
  std::vector<uint32_t> rows;     // the real records
  std::vector<float> received;    // what PP got of them
};

// PP fabricates records: a row of its own B, made-up g and h with even labels, fresh c and d of the
// protocol's radius for every candidate.
Lesson make_lesson(const AttackInput& input);

}  // namespace maskbench
