#include "harness/masked/truth.hpp"

#include <algorithm>
#include <cmath>

#include "harness/privacy/theorem1.hpp"

namespace maskbench {

MaskedTruth::MaskedTruth(const MethodContext& c, const privacy::MaskedCalibration& calibration,
                         std::function<const Gradients&()> clean)
    : pp_(c.pp),
      params_(c.score_params()),
      calibration_(calibration),
      clean_(std::move(clean)),
      histograms_(c.pp, c.compute()) {}

void MaskedTruth::begin_level(const Level& level, const CandidatePlan& plan) {
  histograms_.update(level, clean_().rows);
  headers_ = plan.headers;
  totals_.assign(level.nodes.size(), {});
  rows_.clear();
  left_.clear();
  active_.clear();
  active_g_.clear();
  active_h_.clear();
  size_t next = 0;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    rows_.push_back(level.nodes[place].rows.size());
    for (uint32_t b = 0; b < pp_.offsets[1]; ++b) totals_[place] += histograms_[place][b];
    visit_left_sums(pp_, histograms_[place], [&](uint32_t id, GradientSum left) {
      if (next == headers_.size() || headers_[next].place != place || headers_[next].id != id)
        return;
      const GradientSum active = plan.candidates[next].test.flip ? totals_[place] - left : left;
      left_.push_back(left);
      active_.push_back(headers_[next].active);
      active_g_.push_back(active.g);
      active_h_.push_back(active.h);
      ++next;
    });
  }
  best_.assign(level.nodes.size(), kNone);
  std::vector<double> best_score(level.nodes.size(), kMinGain);
  for (size_t i = 0; i < headers_.size(); ++i) {
    const double s = score(i);
    if (s <= best_score[headers_[i].place]) continue;
    best_score[headers_[i].place] = s;
    best_[headers_[i].place] = i;
  }
  watched_ = level.depth == 0 ? best_[0] : kNone;
}

kernels::ExactSums MaskedTruth::active_sums(size_t first, size_t end) const {
  return {std::span(active_).subspan(first, end - first),
          std::span(active_g_).subspan(first, end - first),
          std::span(active_h_).subspan(first, end - first)};
}

double MaskedTruth::score(size_t i) const {
  const FixedPoint& grid = clean_().grid;
  const GradientSum total = totals_[headers_[i].place];
  const GradientSum right = total - left_[i];
  const double hl = grid.real(left_[i].h), hr = grid.real(right.h);
  if (!eligible(hl, hr, params_)) return kNoSplit;
  const double parent = leaf_quality(grid.real(total.g), grid.real(total.h), params_.lambda);
  return split_score(grid.real(left_[i].g), hl, grid.real(right.g), hr, parent, params_);
}

// Theorem 1 at alpha = a quarter of the smaller side's quality: did either side's quality move by
// alpha or more, and with which probability may it?
void MaskedTruth::observe(double gl, double hl, double gr, double hr) {
  const FixedPoint& grid = clean_().grid;
  const CandidateHeader& header = headers_[watched_];
  const GradientSum left = left_[watched_], right = totals_[header.place] - left;
  const double lambda = params_.lambda;
  const double true_left = leaf_quality(grid.real(left.g), grid.real(left.h), lambda);
  const double true_right = leaf_quality(grid.real(right.g), grid.real(right.h), lambda);
  const double alpha = std::min(true_left, true_right) / 4;
  const auto off = [&](double g, double h, double truth) {
    return h + lambda <= 0 || std::abs(leaf_quality(g, h, lambda) - truth) >= alpha;
  };
  ++observed_;
  deviated_ += off(gl, hl, true_left) || off(gr, hr, true_right);
  if (calibration_.zero_noise || alpha <= 0) return;
  const auto n = static_cast<int64_t>(rows_[header.place]);
  const double kappa = calibration_.kappa(header.active, n - header.active);
  bound_ += std::min(1.0, privacy::utility_bound(alpha, kappa,
                                                 {grid.real(left.g), grid.real(left.h),
                                                  grid.real(right.g), grid.real(right.h), lambda}));
}

void MaskedTruth::end_level(std::span<const size_t> chosen) {
  for (size_t place = 0; place < chosen.size(); ++place) {
    if (best_[place] == kNone) continue;
    ++nodes_;
    agree_ += chosen[place] == best_[place];
    best_gain_ += score(best_[place]);
    if (chosen[place] != kNone) chosen_gain_ += std::max(0.0, score(chosen[place]));
  }
}

std::vector<Metric> MaskedTruth::metrics() const {
  if (nodes_ == 0) return {};
  const auto nodes = static_cast<double>(nodes_);
  std::vector<Metric> out = {{"true_argmax_share", static_cast<double>(agree_) / nodes, ""},
                             {"gain_lost", 1 - chosen_gain_ / best_gain_, ""}};
  if (observed_ > 0) {
    const auto observed = static_cast<double>(observed_);
    out.push_back({"thm1_deviation_share", static_cast<double>(deviated_) / observed, ""});
    out.push_back({"thm1_bound", bound_ / observed, ""});
  }
  return out;
}

}  // namespace maskbench
