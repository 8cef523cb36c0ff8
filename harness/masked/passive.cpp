#include "harness/masked/passive.hpp"

#include <algorithm>
#include <cmath>

#include "harness/core/random.hpp"

namespace maskbench {

namespace {

namespace mk = kernels;

mk::Draw make_draw(const MethodContext& c, const privacy::MaskedCalibration& calibration) {
  const DeviationSpec& deviation = c.spec.deviation;
  const double steps = calibration.zero_noise ? 0 : noise_steps(calibration.R, deviation);
  return {derive_key(c.noise_key, "masked PP"),
          mk::noise_scale(std::sqrt(calibration.R) * steps * deviation.pp_sigma1,
                          steps * deviation.pp_sigma2),
          calibration.W};
}

}  // namespace

MaskedPassive::MaskedPassive(const MethodContext& c, const privacy::MaskedCalibration& calibration,
                             std::shared_ptr<mk::Backend> backend,
                             std::unique_ptr<JointExchange> joint,
                             std::unique_ptr<MaskedTruth> truth)
    : PassiveSide(c.pp, c.pool),
      calibration_(calibration),
      backend_(std::move(backend)),
      joint_(std::move(joint)),
      truth_(std::move(truth)),
      params_(c.score_params()),
      gradient_only_(c.spec.train.gbdt || c.spec.train.objective == "regression"),
      clip_hessian_(c.spec.masked.h_guard == "clip"),
      draw_(make_draw(c, calibration)),
      random_split_(c.spec.deviation.pp_split == "random"),
      split_key_(derive_key(c.noise_key, "masked PP split")),
      counter_(c.pp, c.spec.masked.orient == "smaller", c.compute()) {
  limits_.limit = static_cast<size_t>(c.spec.masked.memory_limit);
  limits_.at_least = static_cast<size_t>(c.pool.threads());
  backend_->bind({data_.bins.bins, static_cast<size_t>(data_.bins.features)});
}

// Materialised: a block goes to AP, its answer comes with the next turn. Else all in one turn.
bool MaskedPassive::turn(const Level& level, Wire& wire) {
  if (level.tree != tree_ || level.depth != depth_) {
    begin_level(level, wire);
  } else {
    read_answer(wire);
  }
  if (first_ == plan_.candidates.size()) return end_level(level, wire);
  if (!joint_) {
    send_noise(level, wire);
    return false;
  }
  while (first_ < plan_.candidates.size()) run_jointly(level, wire);
  return end_level(level, wire);
}

void MaskedPassive::begin_level(const Level& level, Wire& wire) {
  tree_ = level.tree;
  depth_ = level.depth;
  const auto totals = wire.receive<int64_t>(Party::pp, Kind::totals);
  grid_.exponent = static_cast<int>(totals[0]);
  totals_.clear();
  for (size_t k = 1; k < totals.size(); k += 2) totals_.push_back({totals[k], totals[k + 1]});
  rows_ = std::make_unique<LevelRows>(level);
  plan_ = counter_.plan(level);
  truth_->begin_level(level, plan_);
  best_.assign(level.nodes.size(), {});
  best_index_.assign(level.nodes.size(), MaskedTruth::kNone);
  first_ = end_ = 0;
}

mk::Batch MaskedPassive::block() {
  const mk::Level view = rows_->view();
  // In the joint modes nothing is stored: one block is the whole level.
  end_ = joint_ ? plan_.candidates.size()
                : first_ + mk::plan_block(view, plan_.candidates, first_, calibration_.W, limits_);
  const auto candidates = std::span(plan_.candidates).subspan(first_, end_ - first_);
  first_cell_.resize(candidates.size() + 1);
  mk::lay_out(view, candidates, first_cell_);
  return {view, candidates, first_cell_};
}

void MaskedPassive::send_noise(const Level& level, Wire& wire) {
  const mk::Batch batch = block();
  std::vector<int32_t> b =
      wire.buffer<int32_t>(batch.cells() * static_cast<size_t>(calibration_.W));
  scratch_.resize(backend_->scratch_bytes(batch.level));
  backend_->noise(batch, draw_, b, scratch_);
  const CandidateHeader& first = plan_.headers[first_];
  const Tag tag{level.tree, level.depth, level.nodes[first.place].node, static_cast<int>(first.id)};
  const auto headers = std::span(plan_.headers).subspan(first_, end_ - first_);
  wire.send(Party::pp, Kind::noise, tag, std::vector(headers.begin(), headers.end()));
  wire.send(Party::pp, Kind::noise, tag, std::move(b));
}

void MaskedPassive::read_answer(Wire& wire) {
  const int shift = static_cast<int>(wire.receive<int64_t>(Party::pp, Kind::totals).front());
  auto masked_g = wire.receive<int64_t>(Party::pp, Kind::masked);
  std::vector<int64_t> masked_h;
  if (!gradient_only_) masked_h = wire.receive<int64_t>(Party::pp, Kind::masked);
  const auto candidates = std::span(plan_.candidates).subspan(first_, end_ - first_);
  std::vector<int64_t> g(candidates.size()), h(candidates.size());
  backend_->aggregate({rows_->view(), candidates, first_cell_}, masked_g,
                      gradient_only_ ? masked_g : masked_h, {g, h}, scratch_);
  wire.recycle(std::move(masked_g));
  if (!gradient_only_) wire.recycle(std::move(masked_h));
  score(g, h, shift);
  first_ = end_;
}

void MaskedPassive::run_jointly(const Level& level, Wire& wire) {
  const mk::Batch batch = block();
  const auto headers = std::span(plan_.headers).subspan(first_, end_ - first_);
  const JointExchange::Sums sums = joint_->run(*backend_, batch, {level.tree, level.depth}, draw_,
                                               headers, truth_->active_sums(first_, end_), wire);
  score(sums.g, sums.h, sums.shift);
  first_ = end_;
}

// The sum over a candidate's left rows as PP believes it, from the noisy one of the active side.
GradientSum MaskedPassive::left_sum(size_t i, GradientSum active, GradientSum total) const {
  const GradientSum left = plan_.candidates[i].test.flip ? total - active : active;
  return {left.g, clip_hessian_ ? std::clamp<int64_t>(left.h, 0, total.h) : left.h};
}

// Scores the block from the noisy sums of the active sides, in units of 2^(grid - shift).
void MaskedPassive::score(std::span<const int64_t> g, std::span<const int64_t> h, int shift) {
  const double step = std::ldexp(grid_.step(), -shift);
  const int64_t unit = int64_t{1} << shift;
  const int64_t one = grid_.round(1.0) * unit;
  std::vector<GradientSum> totals, left;
  for (const GradientSum& total : totals_) totals.push_back({total.g * unit, total.h * unit});
  std::vector<uint32_t> node;
  for (size_t k = 0; k < g.size(); ++k) {
    const CandidateHeader& header = plan_.headers[first_ + k];
    node.push_back(header.place);
    left.push_back(left_sum(first_ + k, {g[k], gradient_only_ ? one * header.active : h[k]},
                            totals[header.place]));
    if (first_ + k == truth_->watched()) observe(left[k], totals[header.place], step);
  }
  std::vector<BestCandidate> best(totals.size());
  backend_->score({node, left, totals, step, params_}, best);
  for (size_t place = 0; place < best.size(); ++place) {
    if (!(best[place].score > best_[place].score)) continue;  // an earlier block's is as good
    const size_t i = first_ + best[place].candidate;
    best_[place] = {best[place].score, data_.candidates[plan_.headers[i].id]};
    best_index_[place] = i;
  }
}

void MaskedPassive::observe(GradientSum left, GradientSum total, double step) {
  const auto real = [step](int64_t v) { return static_cast<double>(v) * step; };
  const GradientSum right = total - left;
  truth_->observe(real(left.g), real(left.h), real(right.g), real(right.h));
}

// Another of the node's candidates in place of the best, under the best's score.
void MaskedPassive::swap_splits(const Level& level) {
  std::vector<std::vector<size_t>> of_node(level.nodes.size());
  for (size_t i = 0; i < plan_.headers.size(); ++i) of_node[plan_.headers[i].place].push_back(i);
  for (size_t place = 0; place < best_.size(); ++place) {
    if (best_index_[place] == MaskedTruth::kNone) continue;
    Draws draws(split_key_, static_cast<uint32_t>(level.tree),
                static_cast<uint32_t>(level.nodes[place].node));
    const auto number = static_cast<uint32_t>(of_node[place].size());
    best_index_[place] = of_node[place][draws.below(number)];
    best_[place].candidate = data_.candidates[plan_.headers[best_index_[place]].id];
  }
}

bool MaskedPassive::end_level(const Level& level, Wire& wire) {
  if (random_split_) swap_splits(level);
  truth_->end_level(best_index_);
  propose(level, std::move(best_), wire);
  return true;
}

}  // namespace maskbench
