#include "attacks/residue.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "harness/base/random.hpp"

namespace maskbench {

namespace {

constexpr size_t kSampled = 1000;   // rows that the search looks at
constexpr int kTriples = 20000;     // of rows, that the search takes common divisors of
constexpr size_t kTried = 24;       // of those divisors: the most frequent, then the largest
constexpr int64_t kSmallest = 256;  // all moduli up to this are tried
constexpr double kWide = 1.0 / 16;  // how often rounding widens a gap

int64_t residue(int64_t x, int64_t modulus) {
  const int64_t r = x % modulus;
  return r < 0 ? r + modulus : r;
}

// A sample of x less its first, divided by what divides all: `unit`.
struct Lattice {
  std::vector<int64_t> y;
  int64_t unit = 0;
};

Lattice sampled(std::span<const int64_t> x) {
  Lattice out;
  const size_t n = std::min(x.size(), kSampled);
  for (size_t k = 0; k < n; ++k) out.y.push_back(x[k * x.size() / n] - x[0]);
  for (const int64_t y : out.y) out.unit = std::gcd(out.unit, y);
  if (out.unit == 0) return {};
  for (int64_t& y : out.y) y /= out.unit;
  return out;
}

// Rows of equal v: their differences are multiples of c, and those of three rows have mostly no
// other common divisor. Other triples have small ones.
std::vector<int64_t> large_divisors(const Lattice& lattice, uint64_t seed) {
  Draws draws(derive_key(seed, "residue"));
  const auto n = static_cast<uint32_t>(lattice.y.size());
  std::map<int64_t, int> times;
  for (int t = 0; t < kTriples; ++t) {
    const int64_t first = lattice.y[draws.below(n)];
    const int64_t second = lattice.y[draws.below(n)] - first;
    const int64_t third = lattice.y[draws.below(n)] - first;
    if (second == 0 || third == 0 || second == third) continue;  // a pair: its divisor is large
    const int64_t d = std::gcd(second, third);
    if (d > kSmallest) ++times[d];
  }
  std::vector<std::pair<int, int64_t>> best;
  for (const auto& [divisor, count] : times) best.push_back({count, divisor});
  std::sort(best.begin(), best.end(), std::greater<>());
  best.resize(std::min(best.size(), kTried));
  std::vector<int64_t> out;
  for (const auto& [count, divisor] : best) out.push_back(divisor);
  return out;
}

double equal_pairs(const Lattice& lattice, int64_t modulus, std::vector<int64_t>& scratch) {
  scratch.clear();
  double pairs = 0;
  if (modulus <= kSmallest) {
    scratch.resize(static_cast<size_t>(modulus));
    for (const int64_t y : lattice.y)
      pairs += static_cast<double>(scratch[static_cast<size_t>(residue(y, modulus))]++);
    return pairs;
  }
  for (const int64_t y : lattice.y) scratch.push_back(residue(y, modulus));
  std::sort(scratch.begin(), scratch.end());
  double run = 0;
  for (size_t k = 1; k < scratch.size(); ++k) {
    run = scratch[k] == scratch[k - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

// Poisson, of `found` against `expected`; fewer than expected are no evidence.
double surprise(double found, double expected) {
  return found > expected ? found * std::log(found / expected) - (found - expected) : 0;
}

}  // namespace

Modulus find_modulus(std::span<const int64_t> x, uint64_t seed) {
  Modulus best;
  const Lattice lattice = sampled(x);
  if (lattice.y.size() < 3) return best;
  const auto n = static_cast<double>(lattice.y.size());
  std::vector<int64_t> scratch;
  const auto look_at = [&](int64_t modulus, double given) {
    const double found = equal_pairs(lattice, modulus, scratch) - given;
    const double evidence = surprise(found, n * (n - 1) / 2 / static_cast<double>(modulus));
    if (evidence > best.evidence) best = {modulus * lattice.unit, evidence};
  };
  for (int64_t modulus = 2; modulus <= kSmallest; ++modulus) look_at(modulus, 0);
  // The three pairs that a divisor came from are equal by its making.
  for (const int64_t modulus : large_divisors(lattice, seed)) look_at(modulus, 3);
  return best;
}

std::vector<double> residue_scores(std::span<const int64_t> x, const Gap& gap,
                                   const Modulus& modulus) {
  std::unordered_map<int64_t, double> rows;
  for (const int64_t v : x) ++rows[residue(v, modulus.value)];
  const auto at = [&](int64_t r) {
    const auto found = rows.find(residue(r, modulus.value));
    return found == rows.end() ? 0.0 : found->second;
  };
  const auto beside = [&](int64_t r, int64_t sign) {
    return at(r + sign * gap.one) + kWide * at(r + sign * (gap.one + gap.unit));
  };
  std::vector<double> out;
  for (const int64_t v : x) {
    const int64_t r = residue(v, modulus.value);
    out.push_back(std::log((1 + beside(r, 1)) / (1 + beside(r, -1))));
  }
  return out;
}

double residue_of_first(std::span<const int64_t> x, std::span<const int64_t> known, int64_t other) {
  int64_t step = 0;
  for (size_t j = 1; j < x.size(); ++j) step = std::gcd(step, x[j] - known[j]);
  const auto fits = [&](int64_t value) {
    return step == 0 ? x[0] == value : (x[0] - value) % step == 0;
  };
  return static_cast<double>(fits(other)) - static_cast<double>(fits(known[0]));
}

}  // namespace maskbench
