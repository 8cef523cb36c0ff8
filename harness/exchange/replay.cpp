#include "harness/exchange/replay.hpp"

namespace maskbench {

void Replay::tree(int number, int max_depth, const std::function<void(const Level&)>& visit) {
  const Tree& tree = model_.trees[static_cast<size_t>(number)];
  Level level = rows_.root(number);
  while (!level.nodes.empty() && level.depth < max_depth) {
    visit(level);
    level = next(tree, level);
  }
  rows_.settle(level);
}

Level Replay::next(const Tree& tree, const Level& level) {
  std::vector<Decision> decisions;
  std::vector<Route> of_ap, of_pp;
  for (const LevelNode& place : level.nodes) {
    const TreeNode& node = tree.nodes[static_cast<size_t>(place.node)];
    const auto rule = static_cast<size_t>(node.rule);
    if (node.is_leaf()) {
      decisions.push_back({-1, Decision::Verdict::leaf});
    } else if (node.owner == Party::ap) {
      decisions.push_back({-1, Decision::Verdict::ap});
      of_ap.push_back({model_.ap_rules[rule].candidate, place.rows});
    } else {
      decisions.push_back({-1, Decision::Verdict::pp});
      of_pp.push_back({model_.pp_rules[rule].candidate, place.rows});
    }
  }
  const RowBits ap_bits = route_rows(ap_, of_ap, pool_);
  const RowBits pp_bits = route_rows(pp_, of_pp, pool_);
  return rows_.next(level, decisions, ap_bits, pp_bits);
}

}  // namespace maskbench
