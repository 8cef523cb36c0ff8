#pragma once

#include <cstdint>
#include <vector>

#include "attacks/attack.hpp"
#include "attacks/view.hpp"

namespace maskbench {

// Columns of B that speak of one candidate's splitting vector on one node's rows.
struct NoiseMessage {
  const std::vector<uint32_t>* rows = nullptr;
  std::vector<std::vector<float>> columns;  // in units of sigma2
};

// Everything that AP got about one candidate, over nodes and rounds.
struct NoiseOfCandidate {
  int64_t id = 0;
  uint32_t active = 0;  // n_A of the root
  std::vector<NoiseMessage> messages;
};

struct NoiseInbox {
  double R = 0;  // public: AP calibrates C with it
  std::vector<TreeView> trees;
  std::vector<NoiseOfCandidate> candidates;  // by id
};

// With `orient: smaller` a node's active side may differ from the root's: then roots only.
NoiseInbox noise_inbox(const AttackInput& input, bool roots_only);

}  // namespace maskbench
