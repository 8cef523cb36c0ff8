#pragma once

#include "harness/exchange/method.hpp"

// AP releases gradients, in clear or noised, and PP searches its own histograms of them.
namespace maskbench {

// Sends them, on their grid. `price`: of the gradients.
void send_gradients(int tree, const Gradients& gradients, Channel& channel, const Price& price);

// A PP that is given gradients, once a tree or afresh for each level.
class GradientPassive : public PassiveSide {
 public:
  GradientPassive(const PassiveContext& context, Refresh refresh);

  void begin_tree(int tree) override;
  void offer(const Level& level) override;

 private:
  void read_gradients();

  bool each_level_;
  Gradients gradients_;
  SplitSearch search_;
};

// Of a node: g and h in 4 bytes each.
double gradient_bytes(const RunSpec& spec, const NodeShape& node);

}  // namespace maskbench
