#include "attacks/nesting.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/math.hpp"

namespace maskbench {

namespace {

constexpr size_t kMinPairs = 3;  // equal differences in a row that no feature shows by chance

// How many pairs (cut, cut with missing) begin at `first`.
size_t missing_pairs(std::span<const uint32_t> active, size_t first) {
  if (first + 1 >= active.size() || active[first + 1] <= active[first]) return 0;
  const uint32_t missing = active[first + 1] - active[first];
  size_t pairs = 1;
  for (size_t i = first + 2; i + 1 < active.size(); i += 2, ++pairs) {
    if (active[i] <= active[i - 2] || active[i + 1] != active[i] + missing) break;
  }
  return pairs;
}

void set_prior(NestedGroup& group, const std::vector<double>& counts, size_t rows) {
  for (double count : counts)
    group.log_prior.push_back(
        static_cast<float>(log_f64(std::max(count, 0.5) / static_cast<double>(rows))));
}

// Bins 0 .. cuts (cut c has bins 0 .. c active), each cut once.
NestedGroup plain(std::span<const uint32_t> active, size_t first, size_t count, size_t rows) {
  NestedGroup group;
  std::vector<double> counts;
  double before = 0;
  for (size_t c = 0; c < count; ++c) {
    group.candidates.push_back(first + c);
    std::vector<uint8_t> bits(count + 1, 0);
    std::fill(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(c + 1), 1);
    group.active.push_back(std::move(bits));
    counts.push_back(active[first + c] - before);
    before = active[first + c];
  }
  counts.push_back(static_cast<double>(rows) - before);
  set_prior(group, counts, rows);
  return group;
}

// The same with every cut twice and the last category missing; a last candidate, "any value", has
// all but the missing rows.
NestedGroup with_missing(std::span<const uint32_t> active, size_t first, size_t pairs,
                         size_t rows) {
  NestedGroup group;
  std::vector<double> counts;
  double before = 0;
  const double missing = active[first + 1] - active[first];
  for (size_t c = 0; c < pairs; ++c) {
    for (uint8_t twice : {uint8_t{0}, uint8_t{1}}) {
      group.candidates.push_back(first + 2 * c + twice);
      std::vector<uint8_t> bits(pairs + 2, 0);
      std::fill(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(c + 1), 1);
      bits.back() = twice;
      group.active.push_back(std::move(bits));
    }
    counts.push_back(active[first + 2 * c] - before);
    before = active[first + 2 * c];
  }
  counts.push_back(static_cast<double>(rows) - before - missing);
  counts.push_back(missing);
  const size_t last = first + 2 * pairs;
  if (last < active.size() && active[last] + active[first + 1] - active[first] == rows) {
    group.candidates.push_back(last);
    group.active.push_back(std::vector<uint8_t>(pairs + 2, 1));
    group.active.back().back() = 0;
  }
  set_prior(group, counts, rows);
  return group;
}

}  // namespace

void NestedGroup::posterior(std::span<const float> evidence, std::span<float> log_odds) const {
  std::vector<float> weight = log_prior;
  for (size_t c = 0; c < active.size(); ++c) {
    for (size_t k = 0; k < weight.size(); ++k) weight[k] += active[c][k] ? evidence[c] : 0.0f;
  }
  const float top = *std::max_element(weight.begin(), weight.end());
  float total = 0;
  for (float& w : weight) total += w = exp_f32(std::max(w - top, -80.0f));
  for (size_t c = 0; c < active.size(); ++c) {
    float on = 0;
    for (size_t k = 0; k < weight.size(); ++k) on += active[c][k] ? weight[k] : 0.0f;
    const double odds = std::max(on, 1e-20f) / std::max<double>(total - on, 1e-20 + 1e-7 * on);
    log_odds[c] = static_cast<float>(log_f64(odds));
  }
}

std::vector<NestedGroup> nested_groups(std::span<const uint32_t> active, size_t rows) {
  std::vector<NestedGroup> out;
  for (size_t first = 0; first < active.size();) {
    if (const size_t pairs = missing_pairs(active, first); pairs >= kMinPairs) {
      out.push_back(with_missing(active, first, pairs, rows));
    } else {
      size_t end = first + 1;
      while (end < active.size() && active[end] > active[end - 1]) ++end;
      out.push_back(plain(active, first, end - first, rows));
    }
    first = out.back().candidates.back() + 1;
  }
  return out;
}

}  // namespace maskbench
