#include "harness/masked/passive.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "harness/base/random.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/privacy/run_budget.hpp"

namespace maskbench {

namespace {

namespace mk = kernels;

constexpr size_t kNone = static_cast<size_t>(-1);

// v 2^bits, refused where it would leave 63 bits: noise that large is no longer an integer.
int64_t lifted(int64_t v, int bits) {
  const int64_t limit = int64_t{1} << (61 - bits);
  if (v >= limit || v <= -limit)
    throw mk::KernelError("masked: a sum leaves 64 bits; raise privacy.eps_ap");
  return v * (int64_t{1} << bits);
}

}  // namespace

MaskedPassive::MaskedPassive(const PassiveContext& c)
    : PassiveSide(c),
      calibration_(masked_calibration(c.spec, c.data.bins.rows, c.data.candidates.size())),
      grid_(masked_grid(c.spec, calibration_, gradient_grid(c.spec.train).exponent,
                        c.data.bins.rows, c.data.candidates.size())),
      budget_(c.spec, c.data.bins.rows, c.data.candidates.size(), Party::pp),
      backend_(c.compute().backend()),
      params_(c.score_params()),
      gradient_only_(c.spec.train.gradient_only()),
      noise_key_(derive_key(c.key, "masked PP")),
      split_key_(derive_key(c.key, "masked PP split")),
      counter_(c.data, c.spec.masked.orient == Orient::smaller, c.compute()) {
  limits_.limit = static_cast<size_t>(c.spec.masked.memory_limit);
  limits_.at_least = static_cast<size_t>(c.pool.threads());
  backend_->bind(data_.matrix());
  if (c.spec.mode != Mode::materialised)
    joint_.emplace(c.data, c.compute(), *backend_, c.spec.mode);
}

// AP calibrates by the number of candidates.
void MaskedPassive::start() {
  channel_.send(Kind::setup, {}, std::vector<uint64_t>{data_.candidates.size()},
                Price::exposed(privacy::kHeadersInClear, privacy::View::receiver));
}

void MaskedPassive::offer(const Level& level) {
  Search search = begin(level);
  std::deque<Block> asked;  // of which the answer has not come
  size_t next = 0, ahead = 0;
  while (next < search.plan.candidates.size() || !asked.empty()) {
    while (next < search.plan.candidates.size() &&
           (asked.empty() || ahead < channel_.ahead_bytes())) {
      asked.push_back(next_block(search, next));
      send_noise(search, asked.back());
      next = asked.back().end;
      ahead += asked.back().batch.cells() * static_cast<size_t>(calibration_.W) * sizeof(int32_t);
    }
    const Block& block = asked.front();
    score(search, block, receive_sums(block));
    ahead -= block.batch.cells() * static_cast<size_t>(calibration_.W) * sizeof(int32_t);
    asked.pop_front();
  }
  if (spec_.deviation.pp_split == OfferedSplit::random) swap_splits(search);
  write_notes(search);
  propose(level, std::move(search.best), score_price());
}

MaskedPassive::Search MaskedPassive::begin(const Level& level) {
  Search search{level, GatheredRows(level), counter_.plan(level), {}, {}, {}, {}, {}, {}};
  if (budget_.is_on()) agree(search);
  const auto totals = channel_.receive<int64_t>(Kind::totals);
  expect_count(Kind::totals, totals.size(), 1 + 2 * level.nodes.size());
  search.grid.exponent = static_cast<int>(totals[0]);
  for (size_t k = 1; k < totals.size(); k += 2) search.totals.push_back({totals[k], totals[k + 1]});
  for (const LevelNode& node : level.nodes)
    search.shift.push_back(grid_.shift(static_cast<int64_t>(node.rows.size())));
  search.best.resize(level.nodes.size());
  search.best_index.assign(level.nodes.size(), kNone);
  return search;
}

void MaskedPassive::agree(const Search& search) {
  calibration_ = budget_.agree_as_pp(channel_, search.level, search.plan.headers, calibration_);
  grid_ = level_grid(spec_, calibration_, gradient_grid(spec_.train).exponent, data_.bins.rows);
  notes_.write<double>(Notebook::Topic::noise, {search.level.tree, search.level.depth},
                       std::vector<double>{calibration_.R, calibration_.q});
}

MaskedPassive::Block MaskedPassive::next_block(const Search& search, size_t first) const {
  const mk::LevelRows view = search.rows.view();
  const auto& all = search.plan.candidates;
  const size_t cell_bytes =
      sizeof(int32_t) * static_cast<size_t>(calibration_.W) + 2 * grid_.cell_bytes();
  // Where nothing is stored one block is the whole level.
  Block block{
      first, joint_ ? all.size() : first + mk::plan_block(view, all, first, cell_bytes, limits_),
      {},    {},
      {},    {}};
  const auto candidates = std::span(all).subspan(first, block.end - first);
  block.first_cell.resize(candidates.size() + 1);
  mk::lay_out(view, candidates, block.first_cell);
  block.batch = {view, candidates, block.first_cell};
  block.scale = scales_of(search, block);
  block.draw = {noise_key_, calibration_.W, block.scale};
  return block;
}

// Most candidates of a node have the same noise: C hardly depends on n_A.
std::vector<mk::NoiseScale> MaskedPassive::scales_of(const Search& search,
                                                     const Block& block) const {
  std::vector<mk::NoiseScale> out;
  const DeviationSpec& deviation = spec_.deviation;
  const double ratio = std::sqrt(calibration_.R) * deviation.pp_sigma1;
  double last = 0;
  for (size_t i = block.first; i < block.end; ++i) {
    const CandidateHeader& header = search.plan.headers[i];
    const auto n = static_cast<int64_t>(search.level.nodes[header.place].rows.size());
    const double steps =
        grid_.sigma2_steps(search.shift[header.place], header.active, n - header.active);
    const bool same = !out.empty() && steps == last;
    out.push_back(same ? out.back() : mk::noise_scale(ratio * steps, deviation.pp_sigma2 * steps));
    last = steps;
  }
  return out;
}

Price MaskedPassive::noise_price(const Search& search, const Block& block) const {
  if (calibration_.zero_noise) return Price::exposed(privacy::kNoNoise, privacy::View::stated);
  const auto headers = std::span(search.plan.headers).subspan(block.first, block.end - block.first);
  Price price = Price::covered(privacy::passive_charges(
      calibration_, counts_of(search.level, headers, calibration_, Party::pp)));
  if (spec_.deviation.any())
    price = std::move(price).noting(
        {{privacy::Note::Kind::premise, privacy::View::stated, privacy::kDeviation}});
  return price;
}

void MaskedPassive::send_noise(const Search& search, const Block& block) {
  const CandidateHeader& first = search.plan.headers[block.first];
  const Tag tag{search.level.tree, search.level.depth, search.level.nodes[first.place].node,
                static_cast<int>(first.id)};
  const auto headers = std::span(search.plan.headers).subspan(block.first, block.end - block.first);
  channel_.send(Kind::noise, tag, std::vector(headers.begin(), headers.end()),
                Price::exposed(privacy::kHeadersInClear, privacy::View::receiver));
  const Price price = noise_price(search, block);
  if (joint_) {
    channel_.send(Kind::noise, tag,
                  joint_->noise(search.level, search.plan, block.batch, block.draw), price);
    return;
  }
  std::vector<int32_t> b =
      channel_.buffers().get<int32_t>(block.batch.cells() * static_cast<size_t>(calibration_.W));
  scratch_.resize(backend_->scratch_bytes(block.batch.level));
  backend_->noise(block.batch, block.draw, b, scratch_);
  channel_.send(Kind::noise, tag, std::move(b), price);
}

BlockSums MaskedPassive::receive_sums(const Block& block) {
  const std::unique_ptr<Payload> g = channel_.receive_payload(Kind::masked);
  const std::unique_ptr<Payload> h =
      gradient_only_ ? nullptr : channel_.receive_payload(Kind::masked);
  if (!g->has_bytes()) return joint_sums(*g);
  return grid_.is_wide() ? sum_cells<int64_t>(block, *g, h.get())
                         : sum_cells<int32_t>(block, *g, h.get());
}

template <class Cell>
BlockSums MaskedPassive::sum_cells(const Block& block, Payload& g, Payload* h) {
  auto& masked_g = dynamic_cast<HostValues<Cell>&>(g).values;
  auto& masked_h = h == nullptr ? masked_g : dynamic_cast<HostValues<Cell>&>(*h).values;
  expect_count(Kind::masked, masked_g.size(), block.batch.cells());
  expect_count(Kind::masked, masked_h.size(), block.batch.cells());
  BlockSums out{std::vector<int64_t>(block.end - block.first),
                std::vector<int64_t>(block.end - block.first)};
  scratch_.resize(backend_->scratch_bytes(block.batch.level));
  backend_->aggregate(block.batch, mk::MaskedCells<const Cell>{masked_g, masked_h}, {out.g, out.h},
                      scratch_);
  if (h != nullptr) channel_.buffers().give_back(std::move(masked_h));
  channel_.buffers().give_back(std::move(masked_g));
  return out;
}

// The sum over a candidate's left rows as PP believes it, from the noisy one of the active side.
GradientSum MaskedPassive::left_sum(const mk::ActiveSet& candidate, GradientSum active,
                                    GradientSum total) const {
  const GradientSum left = candidate.test.flip ? total - active : active;
  const bool clip = spec_.masked.h_guard == HessianGuard::clip;
  return {left.g, clip ? std::clamp<int64_t>(left.h, 0, total.h) : left.h};
}

// Scores the block from the noisy sums of the active sides, all brought to the finest of the nodes'
// grids and the totals'.
void MaskedPassive::score(Search& search, const Block& block, const BlockSums& sums) {
  const int finest = std::min(0, *std::min_element(search.shift.begin(), search.shift.end()));
  const double step = std::ldexp(search.grid.step(), finest);
  const int64_t one = lifted(search.grid.round(1.0), -finest);
  std::vector<GradientSum> totals, left;
  for (const GradientSum& total : search.totals)
    totals.push_back({lifted(total.g, -finest), lifted(total.h, -finest)});
  std::vector<uint32_t> node;
  const auto real = [step](int64_t v) { return static_cast<double>(v) * step; };
  for (size_t k = 0; k < sums.g.size(); ++k) {
    const CandidateHeader& header = search.plan.headers[block.first + k];
    const int bits = search.shift[header.place] - finest;
    const GradientSum active{lifted(sums.g[k], bits),
                             gradient_only_ ? one * header.active : lifted(sums.h[k], bits)};
    node.push_back(header.place);
    left.push_back(left_sum(search.plan.candidates[block.first + k], active, totals[header.place]));
    if (search.level.depth > 0) continue;
    const GradientSum right = totals[header.place] - left[k];
    search.root_sums.push_back({real(left[k].g), real(left[k].h), real(right.g), real(right.h)});
  }
  std::vector<BestCandidate> best(totals.size());
  backend_->score({node, left, totals, step, params_}, best);
  for (size_t place = 0; place < best.size(); ++place) {
    if (!(best[place].score > search.best[place].score)) continue;  // an earlier block's is as good
    const size_t i = block.first + best[place].candidate;
    search.best[place] = {best[place].score, data_.candidates[search.plan.headers[i].id]};
    search.best_index[place] = i;
  }
}

// Another of the node's candidates in place of the best, under the best's score.
void MaskedPassive::swap_splits(Search& search) const {
  std::vector<std::vector<size_t>> of_node(search.level.nodes.size());
  const auto& headers = search.plan.headers;
  for (size_t i = 0; i < headers.size(); ++i) of_node[headers[i].place].push_back(i);
  for (size_t place = 0; place < search.best.size(); ++place) {
    if (search.best_index[place] == kNone) continue;
    Draws draws(split_key_, static_cast<uint32_t>(search.level.tree),
                static_cast<uint32_t>(search.level.nodes[place].node));
    const auto number = static_cast<uint32_t>(of_node[place].size());
    search.best_index[place] = of_node[place][draws.below(number)];
    search.best[place].candidate = data_.candidates[headers[search.best_index[place]].id];
  }
}

void MaskedPassive::write_notes(const Search& search) {
  const Tag tag{search.level.tree, search.level.depth};
  std::vector<int64_t> choices;
  for (size_t i : search.best_index)
    choices.push_back(i == kNone ? kNoChoice : int64_t{search.plan.headers[i].id});
  notes_.write<int64_t>(Notebook::Topic::choices, tag, choices);
  if (search.level.depth == 0)
    notes_.write<RootSums>(Notebook::Topic::root_sums, tag, search.root_sums);
}

}  // namespace maskbench
