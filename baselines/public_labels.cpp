#include "baselines/public_labels.hpp"

#include <algorithm>

#include "harness/base/random.hpp"
#include "harness/privacy/calibration.hpp"
#include "harness/privacy/carried.hpp"
#include "kernels/math.hpp"

namespace maskbench {

namespace {
constexpr size_t kChunk = 1 << 14;
}

void check_label_budget(double eps) {
  privacy::check_carried("privacy.eps_ap", eps, privacy::kLeastResponseEps,
                         privacy::kMostResponseEps);
}

ReleasedLabels release_labels(std::span<const float> labels, double eps, bool zero_noise,
                              const RandomKey& key) {
  if (!zero_noise) check_label_budget(eps);
  ReleasedLabels out{zero_noise ? 0.0 : privacy::label_rr(eps).flip, {}};
  Draws draws(key);
  for (float y : labels) {
    const bool flipped = draws.uniform() < out.flip;
    out.z.push_back((y > 0.5f) != flipped);
  }
  return out;
}

double split_lambda(const RunSpec& spec) {
  if (spec.label_rr.split_lambda > 0) return spec.label_rr.split_lambda;
  const double flip = spec.privacy.zero_noise ? 0 : privacy::label_rr(spec.privacy.eps_ap).flip;
  return 6 / ((1 - 2 * flip) * (1 - 2 * flip));
}

PublicBoosting::PublicBoosting(const TrainSpec& train, double leaf_lambda,
                               const ReleasedLabels& labels, ThreadPool& pool)
    : train_(train), lambda_(leaf_lambda), pool_(pool) {
  const double q = labels.flip;
  for (uint8_t z : labels.z) yhat_.push_back(static_cast<float>((z - q) / (1 - 2 * q)));
  double mean = 0;
  for (float y : yhat_) mean += y;
  mean = std::clamp(mean / static_cast<double>(yhat_.size()), 1e-3, 1 - 1e-3);
  const double prior =
      train.base_score == BaseScore::prior ? log_f64(mean) - log_f64(1 - mean) : 0.0;
  margins_.assign(yhat_.size(), static_cast<float>(prior));
}

const Gradients& PublicBoosting::gradients() {
  const auto [low, high] = std::minmax_element(yhat_.begin(), yhat_.end());
  const double bound = std::max<double>({1.0, 1.0 - *low, *high});
  gradients_.grid = FixedPoint::for_bound(bound);
  gradients_.rows.resize(yhat_.size());
  const int32_t one = gradients_.grid.round(1.0);
  pool_.run((yhat_.size() + kChunk - 1) / kChunk, [&](size_t chunk, int) {
    for (size_t j = chunk * kChunk; j < std::min((chunk + 1) * kChunk, yhat_.size()); ++j) {
      const float p = sigmoid_f32(margins_[j]);
      gradients_.rows[j] = {gradients_.grid.round(p - yhat_[j]),
                            train_.gbdt ? one : gradients_.grid.round(p * (1.0f - p))};
    }
  });
  return gradients_;
}

void PublicBoosting::add_tree(std::span<const LeafRows> leaves) {
  pool_.run(leaves.size(), [&](size_t k, int) {
    GradientSum sum;
    for (uint32_t row : leaves[k].rows) sum += {gradients_.rows[row].g, gradients_.rows[row].h};
    const FixedPoint& grid = gradients_.grid;
    const double weight = leaf_weight(grid.real(sum.g), grid.real(sum.h), lambda_);
    const float step = leaf_step(train_.learning_rate, weight);
    for (uint32_t row : leaves[k].rows) margins_[row] += step;
  });
}

}  // namespace maskbench
