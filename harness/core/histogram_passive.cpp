#include "harness/core/histogram_passive.hpp"

namespace maskbench {

void send_gradients(int tree, const Gradients& gradients, Wire& wire) {
  wire.send(Party::ap, Kind::totals, {tree}, std::vector<int64_t>{gradients.grid.exponent});
  wire.send(Party::ap, Kind::gradients, {tree}, gradients.rows);
}

HistogramPassive::HistogramPassive(const PartyData& data, const ScoreParams& params,
                                   const Compute& compute, bool each_level)
    : PassiveSide(data, compute.pool()), each_level_(each_level), search_(data, params, compute) {}

void HistogramPassive::begin_tree(int, Wire& wire) {
  if (!each_level_) read_gradients(wire);
}

void HistogramPassive::read_gradients(Wire& wire) {
  gradients_.grid.exponent =
      static_cast<int>(wire.receive<int64_t>(Party::pp, Kind::totals).front());
  gradients_.rows = wire.receive<GradientPair>(Party::pp, Kind::gradients);
}

bool HistogramPassive::turn(const Level& level, Wire& wire) {
  if (each_level_) read_gradients(wire);
  propose(level, search_.best_splits(level, gradients_, each_level_), wire);
  return true;
}

}  // namespace maskbench
