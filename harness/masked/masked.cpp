#include "harness/masked/masked.hpp"

#include <cmath>

#include "harness/masked/active.hpp"
#include "harness/masked/passive.hpp"
#include "harness/masked/probe.hpp"
#include "harness/privacy/run_budget.hpp"

namespace maskbench {

namespace {

privacy::MaskedGrid grid_of(const RunSpec& spec, size_t rows, size_t candidates) {
  return masked_grid(spec, masked_calibration(spec, rows, candidates),
                     gradient_grid(spec.train).exponent, rows, candidates);
}

void check_masked_budget(const RunSpec& spec, const PartyData& pp) {
  grid_of(spec, pp.bins.rows, pp.candidates.size());
}

double own_bytes(const RunSpec& spec, const NodeShape& node) {
  const privacy::MaskedGrid grid =
      grid_of(spec, static_cast<size_t>(node.rows), static_cast<size_t>(node.candidates));
  const double vectors = spec.train.gradient_only() ? 1 : 2;
  return (4 * spec.privacy.W + static_cast<double>(grid.cell_bytes()) * vectors) * node.rows *
             node.candidates +
         12 * node.candidates;
}

// The paper's appendix: (lW + 2l) n + l values.
double paper_bytes(const RunSpec& spec, const NodeShape& node) {
  const double l = node.candidates;
  return 8 * ((l * spec.privacy.W + 2 * l) * node.rows + l);
}

// Each candidate of each node is scored, by PP and by the probe, and has its sums noised. But for
// collapsed, each level draws a normal for each row, candidate and column; fused only for the
// active rows. A budget for the whole training is worked out anew a few times.
double seconds(const RunSpec& spec, const NodeShape& node, double clear_tree) {
  const double nodes = std::exp2(spec.train.max_depth);
  double out = 1.5 * clear_tree + 4e-7 * nodes * node.candidates;
  if (is_filtered(spec)) out += 1.2 / spec.train.rounds;
  if (spec.mode == Mode::collapsed) return out;
  const double cells = spec.train.max_depth * node.rows * node.candidates * spec.privacy.W;
  return out + cells * (spec.mode == Mode::fused ? 0.5e-9 : 2e-9);
}

}  // namespace

const Method& masked_method() {
  static const Method method = {
      .id = "masked",
      .what = "MaskedXGBoost: both parties' noise, cancelling in the sums",
      .active = active_side<MaskedActive>,
      .passive = passive_side<MaskedPassive>,
      .uses = {"mode", "privacy.", "noise.", "masked.", "deviation.", "verify"},
      .check_budget = check_masked_budget,
      .evidence = {Evidence::masked_vectors},
      .probe = masked_probe,
      .own_bytes = own_bytes,
      .paper_bytes = paper_bytes,
      .tree_seconds = seconds,
  };
  return method;
}

}  // namespace maskbench
