#pragma once

#include "harness/core/protocol.hpp"

namespace maskbench {

// AP's part of releasing gradients: sends them, on their grid, to PP.
void send_gradients(int tree, const Gradients& gradients, Wire& wire);

// A PP that is given gradients once a tree (clear, noisy or public) and searches its own
// histograms.
class HistogramPassive : public PassiveSide {
 public:
  HistogramPassive(const PartyData& data, const ScoreParams& params, ThreadPool& pool);

  void begin_tree(int tree, Wire& wire) override;
  bool turn(const Level& level, Wire& wire) override;

 protected:
  Gradients gradients_;
  SplitSearch search_;
};

// A PP that has nothing to offer.
class SilentPassive : public PassiveSide {
 public:
  using PassiveSide::PassiveSide;
  bool turn(const Level& level, Wire& wire) override;
};

}  // namespace maskbench
