#include "harness/exchange/tree_rows.hpp"

namespace maskbench {

Level TreeRows::root(int tree) {
  next_node_ = 1;
  leaves_.clear();
  return rows_.root(tree);
}

Level TreeRows::next(const Level& level, std::span<const Decision> decisions,
                     const RowBits& from_ap, const RowBits& from_pp) {
  std::vector<RowSets::Split> splits;
  size_t ap_word = 0, pp_word = 0;
  for (size_t place = 0; place < decisions.size(); ++place) {
    const LevelNode& node = level.nodes[place];
    if (decisions[place].verdict == Decision::Verdict::leaf) {
      leaves_.push_back({node.node, node.rows});
      continue;
    }
    const bool is_pps = decisions[place].verdict == Decision::Verdict::pp;
    const size_t words = bit_words(node.rows.size());
    size_t& word = is_pps ? pp_word : ap_word;
    const RowBits& bits = is_pps ? from_pp : from_ap;
    splits.push_back({place, next_node_, next_node_ + 1, std::span(bits).subspan(word, words)});
    word += words;
    next_node_ += 2;
  }
  return rows_.split(level, splits, pool_);
}

void TreeRows::settle(const Level& level) {
  for (const LevelNode& node : level.nodes) leaves_.push_back({node.node, node.rows});
}

}  // namespace maskbench
