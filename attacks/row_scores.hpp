#pragma once

#include <vector>

#include "attacks/attack.hpp"

namespace maskbench {

// Evidence on each row, added up over candidates, nodes and rounds; rows without any are no guess.
class RowScores {
 public:
  explicit RowScores(size_t rows) : sum_(rows, 0.0), seen_(rows, 0) {}

  void add(uint32_t row, double score) {
    sum_[row] += score;
    seen_[row] = 1;
  }

  LabelGuess guess() const {
    LabelGuess out;
    for (uint32_t row = 0; row < sum_.size(); ++row) {
      if (!seen_[row]) continue;
      out.rows.push_back(row);
      out.score.push_back(static_cast<float>(sum_[row]));
    }
    return out;
  }

 private:
  std::vector<double> sum_;
  std::vector<uint8_t> seen_;
};

}  // namespace maskbench
