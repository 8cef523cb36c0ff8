#include "baselines/released_gradients.hpp"

namespace maskbench {

void send_gradients(int tree, const Gradients& gradients, Channel& channel, const Price& price) {
  channel.send(Kind::totals, {tree}, std::vector<int64_t>{gradients.grid.exponent},
               Price::not_personal("the grid follows from the objective and the noise's scale"));
  channel.send(Kind::gradients, {tree}, gradients.rows, price);
}

GradientPassive::GradientPassive(const PassiveContext& c, Refresh refresh)
    : PassiveSide(c),
      each_level_(refresh == Refresh::node),
      search_(c.data, c.score_params(), c.compute) {}

void GradientPassive::begin_tree(int) {
  if (!each_level_) read_gradients();
}

void GradientPassive::read_gradients() {
  gradients_.grid.exponent = static_cast<int>(channel_.receive<int64_t>(Kind::totals).at(0));
  gradients_.rows = channel_.receive<GradientPair>(Kind::gradients);
  expect_count(Kind::gradients, gradients_.rows.size(), data_.bins.rows);
}

void GradientPassive::offer(const Level& level) {
  if (each_level_) read_gradients();
  propose(level, search_.best_splits(level, gradients_, each_level_), score_price());
}

double gradient_bytes(const RunSpec&, const NodeShape& node) {
  return 8 * node.rows;
}

}  // namespace maskbench
