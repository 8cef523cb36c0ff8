#include "harness/privacy/pld.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <unsupported/Eigen/FFT>

namespace maskbench::privacy {
namespace {

struct CountedPld {
  Pld pld;
  double count;
};

// Grid fine against every single loss and against the whole window, but never over 2^21 points.
double choose_step(std::span<const CountedProfile> profiles) {
  double smallest = std::numeric_limits<double>::infinity(), variance = 0;
  for (const auto& [profile, count] : profiles) {
    smallest = std::min(smallest, profile.scale);
    variance += count * profile.scale * profile.scale;
  }
  const double window = variance + 24 * std::sqrt(variance);
  return std::max(std::min(smallest / 20, window / 4096), window / (1 << 21));
}

double log_moment(const Pld& pld, double s) {  // ln sum of mass exp(s loss)
  const double top =
      s * pld.step * double(s > 0 ? pld.lowest + long(pld.mass.size()) - 1 : pld.lowest);
  double sum = 0;
  for (size_t i = 0; i < pld.mass.size(); ++i) {
    sum += pld.mass[i] * std::exp(s * pld.step * double(pld.lowest + long(i)) - top);
  }
  return top + std::log(sum);
}

// Chernoff: the loss of all together lies beyond this with probability at most `tail`. `typical` is
// the size of that loss: the best s is a few over it.
double reach(std::span<const CountedPld> parts, double typical, double tail, double sign) {
  const auto bound = [&](double log_s) {
    const double s = std::exp(log_s);
    double sum = -std::log(tail);
    for (const auto& [pld, count] : parts) sum += count * log_moment(pld, sign * s);
    return sum / s;
  };
  return boost::math::tools::brent_find_minima(bound, std::log(1e-4),
                                               std::log(1e3 / std::min(1.0, typical)), 12)
      .second;
}

// Connect the dots on losses step, 2 step, ...: masses from index 1 on, index 0 holds what is left
// beyond the last.
std::vector<double> positive_masses(const std::function<double(double)>& delta, double step,
                                    double tail) {
  constexpr size_t kLongest = size_t{1} << 21;
  std::vector<double> height;  // delta at 0, step, 2 step, ...
  do {
    height.push_back(delta(step * double(height.size())));
  } while ((height.back() > tail || height.size() < 2) && height.size() < kLongest);
  const double growth = std::exp(step), rise = std::expm1(step);
  std::vector<double> masses(height.size());
  masses[0] = height.back();
  for (size_t j = 1; j < height.size(); ++j) {
    const double next = j + 1 < height.size() ? height[j] - height[j + 1] : 0;
    masses[j] = std::max(0.0, (growth * (height[j - 1] - height[j]) - next) / rise);
  }
  return masses;
}

using Spectrum = std::vector<std::complex<double>>;

Spectrum transform(Eigen::FFT<double>& fft, const Pld& pld, size_t size) {
  std::vector<double> ring(size);
  for (size_t i = 0; i < pld.mass.size(); ++i) {
    const long index = (pld.lowest + long(i)) % long(size);
    ring[size_t(index < 0 ? index + long(size) : index)] += pld.mass[i];
  }
  Spectrum spectrum;
  fft.fwd(spectrum, ring);
  return spectrum;
}

}  // namespace

Pld discretise(const LossProfile& profile, double step, double tail) {
  const std::vector<double> up = positive_masses(profile.delta, step, tail);
  // Exchanging the neighbours turns a loss l of mass p into -l of mass p exp(-l).
  std::vector<double> down =
      profile.exchanged ? positive_masses(profile.exchanged, step, tail) : up;
  const size_t zero = down.size() - 1;
  Pld pld{step, -long(zero), std::vector<double>(zero + up.size()), up[0]};
  double rest = 1 - pld.infinite;
  for (size_t j = 1; j < down.size(); ++j) {
    pld.mass[zero - j] = std::exp(-step * double(j)) * down[j];
    rest -= pld.mass[zero - j];
  }
  for (size_t j = 1; j < up.size(); ++j) {
    pld.mass[zero + j] = up[j];
    rest -= up[j];
  }
  pld.mass[zero] = std::max(0.0, rest);
  return pld;
}

Pld compose(std::span<const CountedProfile> profiles, double tail) {
  const double step = choose_step(profiles);
  double total = 0, variance = 0;
  for (const auto& [profile, count] : profiles) {
    total += count;
    variance += count * profile.scale * profile.scale;
  }
  std::vector<CountedPld> parts;
  for (const auto& [profile, count] : profiles) {
    parts.push_back({discretise(profile, step, tail / total), count});
  }
  const double typical = std::sqrt(variance);
  const double up = reach(parts, typical, tail, 1), down = reach(parts, typical, tail, -1);
  const long lowest = -long(std::ceil(down / step));
  size_t size = 1024;
  while (double(size) * step < up + down + 2 * step) size *= 2;

  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  Spectrum product(size / 2 + 1, 1.0);
  double finite = 0;  // ln of the probability that no step is infinite
  for (const auto& [pld, count] : parts) {
    const Spectrum spectrum = transform(fft, pld, size);
    for (size_t i = 0; i < product.size(); ++i) product[i] *= std::pow(spectrum[i], count);
    finite += count * std::log1p(-pld.infinite);
  }
  std::vector<double> ring(size);
  fft.inv(ring, product, long(size));
  Pld result{step, lowest, std::vector<double>(size), -std::expm1(finite) + 2 * tail};
  for (size_t i = 0; i < size; ++i) {
    const long index = (lowest + long(i)) % long(size);
    result.mass[i] = std::max(0.0, ring[size_t(index < 0 ? index + long(size) : index)]);
  }
  return result;
}

// Of pure mechanisms, what they add up to: an upper bound that needs no grid.
double basic_epsilon(std::span<const CountedProfile> profiles) {
  double sum = 0;
  for (const auto& [profile, count] : profiles) sum += count * profile.largest;
  return sum;
}

double composed_epsilon(std::span<const CountedProfile> profiles, double delta) {
  // Losses this small are lost in the digits of probabilities near 1.
  constexpr double kTooSmallForGrid = 1e-4;
  const double basic = basic_epsilon(profiles);
  if (basic < kTooSmallForGrid) return basic;
  // Of a delta so small that nothing is left of it, the infinite loss of `tail` is the answer.
  const double tail = std::max(1e-7 * delta, std::numeric_limits<double>::min());
  double worst = compose(profiles, tail).epsilon(delta);
  std::vector<CountedProfile> exchanged, halves;
  for (const auto& [profile, count] : profiles) {
    if (!profile.exchanged) {
      exchanged.push_back({profile, count}), halves.push_back({profile, count});
      continue;
    }
    const LossProfile swapped{profile.exchanged, profile.delta, profile.scale};
    exchanged.push_back({swapped, count});
    halves.push_back({profile, std::floor(count / 2)});
    halves.push_back({swapped, count - std::floor(count / 2)});
  }
  if (halves.size() == profiles.size()) return worst;  // nothing to exchange
  worst = std::max(worst, compose(exchanged, tail).epsilon(delta));
  return std::max(worst, compose(halves, tail).epsilon(delta));
}

double Pld::delta(double eps) const {
  double sum = infinite;
  for (size_t i = mass.size(); i-- > 0;) {
    const double loss = step * double(lowest + long(i));
    if (loss <= eps) break;
    sum += mass[i] * -std::expm1(eps - loss);
  }
  return sum;
}

double Pld::epsilon(double target) const {
  if (infinite >= target) return std::numeric_limits<double>::infinity();
  // delta(eps) = infinite + sum of mass - e^eps sum of mass e^-loss over the losses above eps; the
  // second sum is kept relative to the current loss so that nothing overflows.
  double above = 0, discounted = 0, loss = 0;
  for (size_t i = mass.size(); i-- > 0;) {
    loss = step * double(lowest + long(i));
    if (loss < 0 || infinite + above - discounted > target) break;
    above += mass[i];
    discounted = (discounted + mass[i]) * std::exp(-step);  // relative to the next lower loss
    if (infinite + above - discounted > target) {           // crosses target in this cell
      const double gap = infinite + above - target;
      return std::max(0.0, loss - step + std::log(gap / discounted));
    }
  }
  return 0;
}

}  // namespace maskbench::privacy
