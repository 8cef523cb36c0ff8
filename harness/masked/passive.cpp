#include "harness/masked/passive.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "harness/base/random.hpp"
#include "harness/masked/cells.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/privacy/run_budget.hpp"

namespace maskbench {

namespace {

namespace mk = kernels;

constexpr size_t kNone = static_cast<size_t>(-1);

}  // namespace

MaskedPassive::MaskedPassive(const PassiveContext& c)
    : PassiveSide(c),
      calibration_(masked_calibration(c.spec, c.data.bins.rows, c.data.candidates.size())),
      grid_(masked_grid(c.spec, calibration_, gradient_grid(c.spec.train).exponent,
                        c.data.bins.rows, c.data.candidates.size())),
      budget_(c.spec, c.data.bins.rows, c.data.candidates.size(), Party::pp),
      backend_(c.compute.backend(c.data)),
      params_(c.score_params()),
      gradient_only_(c.spec.train.gradient_only()),
      noise_key_(derive_key(c.key, "masked PP")),
      split_key_(derive_key(c.key, "masked PP split")),
      counter_(c.data, c.spec.masked.orient == Orient::smaller, c.compute) {
  limits_.limit = static_cast<size_t>(c.spec.masked.memory_limit);
  limits_.preferred = backend_->block_bytes();
  limits_.at_least = backend_->block_candidates();
  if (c.spec.mode != Mode::materialised) joint_.emplace(c.data, c.compute, *backend_, c.spec.mode);
}

// AP calibrates by the number of candidates.
void MaskedPassive::start() {
  channel_.send(Kind::setup, {}, std::vector<uint64_t>{data_.candidates.size()},
                Price::exposed(privacy::kHeadersInClear, privacy::View::receiver));
}

void MaskedPassive::offer(const Level& level) {
  Search search = begin(level);
  if (!search.plan.candidates.empty()) begin_candidates(search);
  std::deque<mk::Block> asked;  // of which the answer has not come
  const auto bytes = [&](const mk::Block& block) {
    return cells(search, block) * static_cast<size_t>(calibration_.W) * sizeof(int32_t);
  };
  size_t next = 0, ahead = 0;
  while (next < search.plan.candidates.size() || !asked.empty()) {
    while (next < search.plan.candidates.size() &&
           (asked.empty() || ahead < channel_.ahead_bytes())) {
      asked.push_back(next_block(search, next));
      send_noise(search, asked.back());
      next = asked.back().end;
      ahead += bytes(asked.back());
    }
    receive_sums(search, asked.front());
    ahead -= bytes(asked.front());
    asked.pop_front();
  }
  if (!search.plan.candidates.empty()) score(search);
  if (spec_.deviation.pp_split == OfferedSplit::random) swap_splits(search);
  write_notes(search);
  propose(level, std::move(search.best), score_price());
}

MaskedPassive::Search MaskedPassive::begin(const Level& level) {
  Search search{level, counter_.plan(level), {}, {}, {}, {}, {}, {}, {}, {}, {}};
  if (budget_.is_on()) agree(search);
  const auto totals = channel_.receive<int64_t>(Kind::totals);
  expect_count(Kind::totals, totals.size(), 1 + 2 * level.nodes.size());
  search.grid.exponent = static_cast<int>(totals[0]);
  for (size_t k = 1; k < totals.size(); k += 2) search.totals.push_back({totals[k], totals[k + 1]});
  for (const LevelNode& node : level.nodes)
    search.shift.push_back(grid_.shift(static_cast<int64_t>(node.rows.size())));
  search.best.resize(level.nodes.size());
  search.best_index.assign(level.nodes.size(), kNone);
  search.scale = scales_of(search);
  return search;
}

void MaskedPassive::agree(const Search& search) {
  calibration_ = budget_.agree_as_pp(channel_, search.level, search.plan.headers, calibration_);
  grid_ = level_grid(spec_, calibration_, gradient_grid(spec_.train).exponent, data_.bins.rows);
  notes_.write<double>(Notebook::Topic::noise, {search.level.tree, search.level.depth},
                       std::vector<double>{calibration_.R, calibration_.q});
}

mk::Block MaskedPassive::next_block(const Search& search, size_t first) const {
  const auto& all = search.plan.candidates;
  if (joint_) return {first, all.size()};  // where nothing is stored one block is the whole level
  const size_t cell_bytes =
      sizeof(int32_t) * static_cast<size_t>(calibration_.W) + 2 * grid_.cell_bytes();
  return {first, first + mk::plan_block(search.level, all, first, cell_bytes, limits_)};
}

// Most candidates of a node have the same noise: C hardly depends on n_A.
std::vector<mk::NoiseScale> MaskedPassive::scales_of(const Search& search) const {
  std::vector<mk::NoiseScale> out;
  const DeviationSpec& deviation = spec_.deviation;
  const double ratio = std::sqrt(calibration_.R) * deviation.pp_sigma1;
  double last = 0;
  for (const CandidateHeader& header : search.plan.headers) {
    const auto n = static_cast<int64_t>(search.level.nodes[header.place].rows.size());
    const double steps =
        grid_.sigma2_steps(search.shift[header.place], header.active, n - header.active);
    const bool same = !out.empty() && steps == last;
    out.push_back(same ? out.back() : mk::noise_scale(ratio * steps, deviation.pp_sigma2 * steps));
    last = steps;
  }
  return out;
}

Price MaskedPassive::noise_price(const Search& search, const mk::Block& block) const {
  if (calibration_.zero_noise) return Price::exposed(privacy::kNoNoise, privacy::View::stated);
  const auto headers = std::span(search.plan.headers).subspan(block.first, block.end - block.first);
  Price price = Price::covered(privacy::passive_charges(
      calibration_, counts_of(search.level, headers, calibration_, Party::pp)));
  if (spec_.deviation.any())
    price = std::move(price).noting(
        {{privacy::Note::Kind::premise, privacy::View::stated, privacy::kDeviation}});
  return price;
}

void MaskedPassive::send_noise(const Search& search, const mk::Block& block) {
  const CandidateHeader& first = search.plan.headers[block.first];
  const Tag tag{search.level.tree, search.level.depth, search.level.nodes[first.place].node,
                static_cast<int>(first.id)};
  const auto headers = std::span(search.plan.headers).subspan(block.first, block.end - block.first);
  channel_.send(Kind::noise, tag, std::vector(headers.begin(), headers.end()),
                Price::exposed(privacy::kHeadersInClear, privacy::View::receiver));
  const Price price = noise_price(search, block);
  const size_t values = cells(search, block) * static_cast<size_t>(calibration_.W);
  if (joint_) {
    channel_.send(Kind::noise, tag, joint_->noise(search.level, values * sizeof(int32_t)), price);
    return;
  }
  std::unique_ptr<Payload> b = make_cells<int32_t>(*backend_, channel_, values);
  backend_->noise(block, cells_of<int32_t>(*b, Kind::noise, values));
  channel_.send(Kind::noise, tag, std::move(b), price);
}

void MaskedPassive::receive_sums(const Search& search, const mk::Block& block) {
  const std::unique_ptr<Payload> g = channel_.receive_payload(Kind::masked);
  const std::unique_ptr<Payload> h =
      gradient_only_ ? nullptr : channel_.receive_payload(Kind::masked);
  if (!g->has_bytes()) {
    take_joint_sums(*g);
  } else if (grid_.is_wide()) {
    sum_cells<int64_t>(search, block, *g, h.get());
  } else {
    sum_cells<int32_t>(search, block, *g, h.get());
  }
}

template <class Cell>
void MaskedPassive::sum_cells(const Search& search, const mk::Block& block, Payload& g,
                              Payload* h) {
  const size_t count = cells(search, block);
  mk::MaskedBlock<const Cell> masked{as_read(cells_of<Cell>(g, Kind::masked, count)), {}};
  if (h != nullptr) masked.h = as_read(cells_of<Cell>(*h, Kind::masked, count));
  backend_->aggregate(block, masked);
  if (h != nullptr) give_back<Cell>(channel_, *h);
  give_back<Cell>(channel_, g);
}

// Sums are scored on the finest of the nodes' grids and the totals'.
void MaskedPassive::begin_candidates(Search& search) {
  const int finest = std::min(0, *std::min_element(search.shift.begin(), search.shift.end()));
  for (int shift : search.shift) search.lift.push_back(shift - finest);
  int64_t one = search.grid.round(1.0);
  bool fits = lift(one, -finest);
  for (GradientSum& total : search.totals)
    fits = fits && lift(total.g, -finest) && lift(total.h, -finest);
  if (!fits) throw mk::KernelError(kSumTooLarge);
  search.scores = {search.totals,
                   search.lift,
                   {gradient_only_, one, spec_.masked.h_guard == HessianGuard::clip},
                   std::ldexp(search.grid.step(), finest),
                   params_};
  backend_->begin_candidates({search.plan.candidates,
                              search.plan.active,
                              search.plan.first_cell,
                              {noise_key_, calibration_.W, search.scale},
                              search.scores});
}

void MaskedPassive::score(Search& search) {
  std::vector<BestCandidate> best(search.totals.size());
  const Tag tag{search.level.tree, search.level.depth};
  const bool is_noted = search.level.depth == 0 && notes_.keeps(Notebook::Topic::root_sums, tag);
  const size_t noted = is_noted ? search.plan.candidates.size() : 0;
  std::vector<int64_t> g(noted), h(noted);
  backend_->best(best, {g, h});
  note_root(search, {g, h});
  for (size_t place = 0; place < best.size(); ++place) {
    if (best[place].candidate == kNoCandidate) continue;
    const size_t i = best[place].candidate;
    search.best[place] = {best[place].score, data_.candidates[search.plan.headers[i].id]};
    search.best_index[place] = i;
  }
}

void MaskedPassive::note_root(Search& search, const mk::MaskedSums& sums) {
  const mk::NoisyScores& scores = search.scores;
  const auto real = [&](int64_t v) { return static_cast<double>(v) * scores.step; };
  for (size_t i = 0; i < sums.g.size(); ++i) {
    GradientSum left;
    noisy_left(scores.rule, {sums.g[i], sums.h[i]}, scores.lift[0], search.plan.active[i],
               search.plan.candidates[i].test.flip, scores.total[0], left);
    const GradientSum right = scores.total[0] - left;
    search.root_sums.push_back({real(left.g), real(left.h), real(right.g), real(right.h)});
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
