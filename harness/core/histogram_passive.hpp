#pragma once

#include "harness/core/protocol.hpp"

namespace maskbench {

// AP's part of releasing gradients: sends them, on their grid, to PP.
void send_gradients(int tree, const Gradients& gradients, Wire& wire);

// A PP that is given gradients, once a tree or afresh for each level, and searches its own
// histograms.
class HistogramPassive : public PassiveSide {
 public:
  HistogramPassive(const PartyData& data, const ScoreParams& params, const Compute& compute,
                   bool each_level = false);

  void begin_tree(int tree, Wire& wire) override;
  bool turn(const Level& level, Wire& wire) override;

 private:
  void read_gradients(Wire& wire);

  bool each_level_;
  Gradients gradients_;
  SplitSearch search_;
};

// A PP that is never asked.
class SilentPassive : public PassiveSide {
 public:
  using PassiveSide::PassiveSide;
  bool turn(const Level&, Wire&) override { return true; }
};

}  // namespace maskbench
