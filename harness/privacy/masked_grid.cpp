#include "harness/privacy/masked_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/privacy/errors.hpp"

namespace maskbench::privacy {
namespace {

constexpr double kLargestNormal = 6.56;      // of the generator, in deviations
constexpr double kMaxNoise = 0x1p23 - 2;     // a float holds it exactly
constexpr int kNoiseBits = 14;               // as fine as possible ...
constexpr int kMinNoiseBits = 13;            // ... but r has at least 2^12 steps
constexpr int kWeightBits = 9;               // |c| is small beside the spread of b
constexpr double kLargestGradient = 0x1p20;  // steps of their grid

// The largest |b| that PP draws, in units of sigma2 as agreed: r + p_t - p_{t-1}, or q + r.
double largest_noise(double R, const DeviationSpec& factors) {
  const double sigma1 = std::sqrt(R) * factors.pp_sigma1, sigma2 = factors.pp_sigma2;
  return kLargestNormal * (2 * sigma1 + sigma2);
}

}  // namespace

MaskedGrid::MaskedGrid(const MaskedCalibration& calibration, const DeviationSpec& deviation,
                       int gradient_exponent, int64_t rows)
    : calibration_(calibration),
      factors_(deviation),
      gradient_step_(std::ldexp(1.0, gradient_exponent)),
      rows_(std::max<int64_t>(rows, 2)) {
  if (!calibration_.zero_noise) choose_steps();
}

double MaskedGrid::deviation(int64_t n_active, int64_t n_inactive) const {
  return std::sqrt(calibration_.C(n_active, n_inactive)) * calibration_.sigma2 / gradient_step_;
}

// C is monotone in n_A, whatever the unit.
double MaskedGrid::smallest(int64_t rows) const {
  return std::min(deviation(1, rows - 1), deviation(rows - 1, 1));
}

double MaskedGrid::largest(int64_t rows) const {
  return std::max(deviation(1, rows - 1), deviation(rows - 1, 1));
}

// The spread of the noise within a node grows with its rows: what fits the root fits all.
void MaskedGrid::choose_steps() {
  const bool is_scaled = calibration_.W == 1;  // b itself has the spread, or c has
  const double spread = largest(rows_) / smallest(rows_);
  const double largest_b =
      largest_noise(calibration_.R, factors_) * (is_scaled ? spread : 1);  // times 2^noise_bits
  noise_bits_ = kNoiseBits;
  if (factors_.pp_sigma2 > 0 && factors_.pp_sigma2 < 1)  // less than agreed still needs its steps
    noise_bits_ += static_cast<int>(std::ceil(-std::log2(factors_.pp_sigma2)));
  if (std::ldexp(largest_b, noise_bits_) > kMaxNoise) noise_bits_ -= kNoiseBits - kMinNoiseBits;
  if (std::ldexp(largest_b, noise_bits_) > kMaxNoise) {
    throw Infeasible(fmt::format(
        "privacy.eps_pp: sigma1^2/sigma2^2 = {:.4g} is more than a message of {} rows can carry "
        "(r needs 2^12 steps and b must stay below 2^23); lower privacy.eps_pp or privacy.ratio",
        calibration_.R, rows_));
  }
  double weights = 1;  // the largest sum of |c_k|
  if (!is_scaled) {
    const double root_W = std::sqrt(calibration_.W);
    weight_bits_ = kWeightBits;
    weights = root_W * (std::ldexp(spread, weight_bits_ + 1) + root_W);
  }
  const double factor = std::max(1.0, std::sqrt(factors_.ap_c));
  is_wide_ = std::ldexp(kLargestGradient, -kMinShift) +
                 weights * factor * std::ldexp(largest_b, noise_bits_) >=
             0x1p31;
}

int MaskedGrid::shift(int64_t rows) const {
  if (calibration_.zero_noise) return 0;
  return std::ilogb(smallest(std::max<int64_t>(rows, 2))) + 1 - noise_bits_ - weight_bits_;
}

double MaskedGrid::sigma2_steps(int shift, int64_t n_active, int64_t n_inactive) const {
  if (calibration_.zero_noise) return 0;
  if (calibration_.W > 1) return std::ldexp(1.0, noise_bits_ - 1);
  return std::ldexp(deviation(n_active, n_inactive), -shift);
}

double MaskedGrid::radius(int shift, int64_t n_active, int64_t n_inactive) const {
  const double exact = std::ldexp(deviation(n_active, n_inactive), -shift - (noise_bits_ - 1));
  return exact + std::sqrt(calibration_.W) / 2 + 1;
}

bool MaskedGrid::fits() const {
  if (calibration_.zero_noise) return true;
  for (const int64_t rows : {int64_t{2}, rows_}) {
    const double size = smallest(rows);
    if (!(size > 0) || std::isinf(size)) return false;
    if (shift(rows) < kMinShift || shift(rows) > kMaxShift) return false;
  }
  return true;
}

bool MaskedGrid::is_too_coarse() const {
  return std::max(smallest(2), smallest(rows_)) > std::ldexp(1.0, kMaxShift);
}

}  // namespace maskbench::privacy
