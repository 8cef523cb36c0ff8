#include "attacks/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/privacy/run_budget.hpp"

namespace maskbench {

namespace {

// The messages of one level that speak of all its nodes.
struct LevelMessages {
  const Message* totals = nullptr;
  const Message* decisions = nullptr;
  const Message* ap_rows = nullptr;
  const Message* pp_rows = nullptr;
};

using LevelKey = std::pair<int, int>;  // tree, depth

std::map<LevelKey, LevelMessages> level_messages(std::span<const Message> messages) {
  std::map<LevelKey, LevelMessages> out;
  for (const Message& m : messages) {
    if (m.tag.tree < 0 || m.tag.depth < 0) continue;
    LevelMessages& level = out[{m.tag.tree, m.tag.depth}];
    if (m.kind == Kind::totals && m.tag.node < 0) level.totals = &m;
    if (m.kind == Kind::decisions) level.decisions = &m;
    // Row sets that come before the decisions are offers, not the tree's.
    if (m.kind == Kind::row_sets && level.decisions != nullptr)
      (m.from == Party::ap ? level.ap_rows : level.pp_rows) = &m;
  }
  return out;
}

void read_totals(const LevelMessages& messages, LevelView& level) {
  if (messages.totals == nullptr) return;
  const auto& values = messages.totals->as<int64_t>();
  level.exponent = static_cast<int>(values[0]);
  for (size_t place = 0; place < level.nodes.size(); ++place)
    level.nodes[place].totals = {values[1 + 2 * place], values[2 + 2 * place]};
}

LevelView next_level(const LevelView& level, const LevelMessages& messages, int& next_node) {
  LevelView out{level.exponent, {}};
  if (messages.decisions == nullptr || messages.ap_rows == nullptr) return out;
  const auto& decisions = messages.decisions->as<Decision>();
  size_t ap_word = 0, pp_word = 0;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    const Decision::Verdict verdict = decisions[place].verdict;
    if (verdict == Decision::Verdict::leaf) continue;
    const bool from_pp = verdict == Decision::Verdict::pp;
    const auto& bits = (from_pp ? messages.pp_rows : messages.ap_rows)->as<uint64_t>();
    size_t& word = from_pp ? pp_word : ap_word;
    const NodeView& node = level.nodes[place];
    NodeView children[2] = {{next_node, {}}, {next_node + 1, {}}};
    for (size_t j = 0; j < node.rows.size(); ++j) {
      const bool left = bits[word + j / 64] >> (j % 64) & 1;
      children[left ? 0 : 1].rows.push_back(node.rows[j]);
    }
    word += bit_words(node.rows.size());
    next_node += 2;
    out.nodes.push_back(std::move(children[0]));
    out.nodes.push_back(std::move(children[1]));
  }
  return out;
}

LevelView root_level(size_t rows) {
  LevelView level;
  level.nodes.push_back({0, std::vector<uint32_t>(rows)});
  for (size_t j = 0; j < rows; ++j) level.nodes[0].rows[j] = static_cast<uint32_t>(j);
  return level;
}

// The four messages of a block: headers and B from PP, <g> and <h> from AP.
struct Block {
  const Message* headers = nullptr;
  const Message* noise = nullptr;
  const Message* g = nullptr;
  const Message* h = nullptr;
};

std::vector<Block> blocks(std::span<const Message> messages) {
  std::vector<Block> out;
  for (const Message& m : messages) {
    if (m.kind == Kind::noise) {
      if (out.empty() || out.back().noise != nullptr) out.emplace_back();
      (out.back().headers == nullptr ? out.back().headers : out.back().noise) = &m;
    } else if (!out.empty() && m.kind == Kind::masked) {
      (out.back().g == nullptr ? out.back().g : out.back().h) = &m;
    }
  }
  return out;
}

// PP's number of candidates.
size_t all_candidates(const AttackInput& input) {
  for (const Message& m : input.messages)
    if (m.kind == Kind::setup && m.from == Party::pp) return m.as<uint64_t>().at(0);
  return 1;
}

// What both parties know of the noise: it follows from the spec and the number of candidates, which
// PP tells at the start, unless they tell each other R and q of every level.
privacy::MaskedCalibration calibration_of(const AttackInput& input,
                                          const privacy::MaskedCalibration& start, const Tag& tag) {
  double R = start.R, q = start.q;
  for (const Message& m : input.messages) {
    if (m.kind != Kind::setup || m.tag.tree != tag.tree || m.tag.depth != tag.depth) continue;
    const auto& told = m.as<double>();
    (m.from == Party::pp ? R : q) = told.back();
  }
  return q == start.q && R == start.R ? start : start.at(R, q);
}

size_t visit_block(const AttackInput& input, const TreeView& tree, const Block& block,
                   const privacy::MaskedCalibration& start,
                   const std::function<void(const MaskedCandidate&)>& visit) {
  const LevelView& level = tree.levels.at(static_cast<size_t>(block.headers->tag.depth));
  const privacy::MaskedCalibration calibration = calibration_of(input, start, block.headers->tag);
  const privacy::MaskedGrid grid(calibration, input.spec.deviation, level.exponent,
                                 static_cast<int64_t>(input.rows));
  const size_t W = static_cast<size_t>(input.spec.privacy.W);
  const std::span<const int32_t> b = block.noise->as<int32_t>();
  size_t cell = 0, visited = 0;
  for (const CandidateHeader& header : block.headers->as<CandidateHeader>()) {
    const NodeView& node = level.nodes.at(header.place);
    const size_t n = node.rows.size();
    if (node.node < input.spec.attack.nodes) {
      MaskedCandidate c{tree.tree, &level, &node, header, static_cast<int>(W), {},
                        {},        {},     1,     1,      calibration};
      c.b = b.subspan(cell * W, n * W);
      if (block.g != nullptr) c.g = MaskedVector(*block.g, cell, n);
      if (block.h != nullptr) c.h = MaskedVector(*block.h, cell, n);
      const int shift = grid.shift(static_cast<int64_t>(n));
      c.step = std::ldexp(1.0, level.exponent + shift);
      c.sigma2 = grid.sigma2_steps(shift, header.active, static_cast<int64_t>(n) - header.active);
      visit(c);
      ++visited;
    }
    cell += n;
  }
  return visited;
}

}  // namespace

MaskedVector::MaskedVector(const Message& message, size_t first, size_t count) {
  if (const auto* narrow = dynamic_cast<const HostValues<int32_t>*>(message.payload.get()))
    narrow_ = std::span(narrow->values).subspan(first, count);
  else
    wide_ = std::span(message.as<int64_t>()).subspan(first, count);
}

std::vector<int64_t> MaskedVector::values() const {
  std::vector<int64_t> out;
  for (size_t j = 0; j < size(); ++j) out.push_back((*this)[j]);
  return out;
}

bool has(const AttackInput& input, Kind kind) {
  return std::any_of(input.messages.begin(), input.messages.end(),
                     [kind](const Message& m) { return m.kind == kind; });
}

std::vector<TreeView> tree_views(const AttackInput& input) {
  const auto messages = level_messages(input.messages);
  std::vector<TreeView> out;
  for (const auto& [key, first] : messages) {
    if (key.second != 0) continue;
    TreeView tree{key.first, {}};
    int next_node = 1;
    LevelView level = root_level(input.rows);
    for (int depth = 0; !level.nodes.empty(); ++depth) {
      const auto here = messages.find({key.first, depth});
      if (here != messages.end()) read_totals(here->second, level);
      tree.levels.push_back(std::move(level));
      if (here == messages.end()) break;
      level = next_level(tree.levels.back(), here->second, next_node);
    }
    out.push_back(std::move(tree));
  }
  return out;
}

size_t visit_masked(const AttackInput& input, const std::vector<TreeView>& trees,
                    const std::function<void(const MaskedCandidate&)>& visit) {
  const privacy::MaskedCalibration start =
      masked_calibration(input.spec, input.rows, all_candidates(input));
  size_t visited = 0;
  for (const Block& block : blocks(input.messages)) {
    for (const TreeView& tree : trees) {
      if (tree.tree == block.headers->tag.tree)
        visited += visit_block(input, tree, block, start, visit);
    }
  }
  return visited;
}

std::string missing_masked(const AttackInput& input) {
  if (!has(input, Kind::noise))
    return fmt::format("{} sends no noise B and no masked gradients", input.spec.method);
  if (input.spec.mode != Mode::materialised)
    return fmt::format("mode {} forms no messages; set mode: materialised",
                       name_of(input.spec.mode));
  return "";
}

}  // namespace maskbench
