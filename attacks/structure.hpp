#pragma once

#include <vector>

#include "attacks/view.hpp"

namespace maskbench {

// What the row sets alone tell of the labels, where PP gets no sums (paillier): splits are chosen
// to part the labels, so rows that fall into the same leaves tend to share theirs. The score is the
// leading direction of "how many trees put these two rows into one leaf", found by power iteration
// from the first root's split. Its sign is unknown to PP: that split's smaller side is taken to be
// richer in positives. Empty if no tree was split.
std::vector<double> structure_scores(const std::vector<TreeView>& trees, size_t rows);

}  // namespace maskbench
