#include "attacks/chain_posterior.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/math.hpp"

namespace maskbench {

namespace {

constexpr double kSpread = 4.5;   // the grid reaches that many standard deviations of p
constexpr double kSpacing = 0.8;  // of the narrower of p and r

float odds_to_share(float log_odds) {
  return sigmoid_f32(std::clamp(log_odds, -20.0f, 20.0f));
}

float log_f32(float x) {
  return static_cast<float>(log_f64(std::max(static_cast<double>(x), 1e-30)));
}

}  // namespace

ChainPosterior::ChainPosterior(double R) : inactive_variance_(static_cast<float>(2 * R + 1)) {
  const double sigma1 = std::sqrt(R), step = kSpacing * std::min(1.0, sigma1);
  const int half = static_cast<int>(std::ceil(kSpread * sigma1 / step));
  points_ = 2 * half + 1;
  step_ = static_cast<float>(step);
  weight_.resize(static_cast<size_t>(points_));
  kernel_.resize(static_cast<size_t>(2 * points_ - 1));
  moved_.resize(weight_.size());
  float total = 0;
  for (int i = 0; i < points_; ++i) {
    const double p = (i - half) * step;
    weight_[static_cast<size_t>(i)] = exp_f32(static_cast<float>(-p * p / (2 * R)));
    total += weight_[static_cast<size_t>(i)];
  }
  for (float& w : weight_) w /= total;
}

void ChainPosterior::kernel(float b) {
  for (int d = 0; d < 2 * points_ - 1; ++d) {
    const float off = b - static_cast<float>(d - points_ + 1) * step_;
    kernel_[static_cast<size_t>(d)] = exp_f32(std::max(-off * off / 2, -80.0f));
  }
}

// to(p') = sum over p of N(b; p' - p, 1) from(p); `from` in descending order of p.
void ChainPosterior::active_step(const float* from, float* to) const {
  std::fill(to, to + points_, 0.0f);
  for (int k = 0; k < points_; ++k) {
    const float* row = kernel_.data() + k;
    for (int i = 0; i < points_; ++i) to[i] += row[i] * from[k];
  }
}

void ChainPosterior::evidence(std::span<const float> b, std::span<const float> prior,
                              std::span<float> out) {
  const size_t n = b.size(), G = weight_.size();
  const float scale = 1 / std::sqrt(inactive_variance_);
  const auto inactive = [&](float x) {
    return scale * exp_f32(std::max(-x * x / (2 * inactive_variance_), -80.0f));
  };
  // forward_[j]: p of the last active row before j, given b before j; stored in descending order.
  forward_.resize((n + 1) * G);
  std::reverse_copy(weight_.begin(), weight_.end(), forward_.begin());
  for (size_t j = 0; j < n; ++j) {
    const float* now = forward_.data() + j * G;
    float* next = forward_.data() + (j + 1) * G;
    kernel(b[j]);
    active_step(now, moved_.data());
    const float share = odds_to_share(prior[j]), rest = (1 - share) * inactive(b[j]);
    float total = 0;
    for (size_t i = 0; i < G; ++i) {
      next[i] = rest * now[i] + share * weight_[G - 1 - i] * moved_[G - 1 - i];
      total += next[i];
    }
    for (size_t i = 0; i < G; ++i) next[i] /= total;
  }
  // backward_: likelihood of b after j given p; in ascending order, and descending for the step.
  backward_.assign(G, 1.0f);
  std::vector<float> weighted(G), before(G);
  for (size_t j = n; j-- > 0;) {
    const float* now = forward_.data() + j * G;
    kernel(b[j]);
    active_step(now, moved_.data());
    float active = 0, still = 0;
    for (size_t i = 0; i < G; ++i) {
      weighted[i] = weight_[i] * backward_[i];
      active += weighted[i] * moved_[i];
      still += now[G - 1 - i] * backward_[i];
    }
    const float resting = inactive(b[j]);
    out[j] = log_f32(active) - log_f32(still * resting);
    // before(p) = sum over p' of N(b; p' - p, 1) weighted(p'), in descending order of p.
    active_step(weighted.data(), before.data());
    const float share = odds_to_share(prior[j]);
    float top = 0;
    for (size_t i = 0; i < G; ++i) {
      backward_[i] = (1 - share) * resting * backward_[i] + share * before[G - 1 - i];
      top = std::max(top, backward_[i]);
    }
    for (float& x : backward_) x /= top;
  }
}

}  // namespace maskbench
