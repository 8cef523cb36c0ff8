#include "attacks/fabricated.hpp"

#include <algorithm>
#include <cmath>

#include "attacks/view.hpp"
#include "harness/base/random.hpp"
#include "harness/privacy/normal.hpp"

namespace maskbench {

namespace {

constexpr size_t kCandidates = 4;  // or as many as there are, evenly spaced in PP's order

using Candidates = std::vector<MaskedCandidate>;

size_t inputs_of(const Candidates& candidates) {
  const MaskedCandidate& c = candidates.front();
  return candidates.size() * (static_cast<size_t>(c.W) + (c.h.empty() ? 1 : 2));
}

Candidates evenly_spaced(const Candidates& all) {
  Candidates out;
  const size_t count = std::min(kCandidates, all.size());
  for (size_t k = 0; k < count; ++k) out.push_back(all[k * all.size() / count]);
  return out;
}

// Uniform on the sphere of radius sqrt(C), and so a sign for W = 1; in units of a step of b.
std::vector<double> sphere(double radius, int W, Draws& draws) {
  std::vector<double> out;
  double squares = 0;
  for (int k = 0; k < W; ++k) {
    out.push_back(privacy::normal_quantile(draws.uniform() + 0x1p-54));
    squares += out.back() * out.back();
  }
  for (double& c : out) c *= radius / std::sqrt(squares);
  return out;
}

// sqrt(C) times sigma2 in steps of b, from the public calibration and the variance (2R + 1)
// sigma2^2 of every entry of b.
double radius_of(const MaskedCandidate& c) {
  const privacy::MaskedCalibration& calibration = c.calibration;
  double squares = 0;
  for (int32_t b : c.b) squares += double{static_cast<double>(b)} * b;
  if (squares == 0) return 0;
  const double sigma2 =
      std::sqrt(squares / static_cast<double>(c.b.size()) / (2 * calibration.R + 1));
  const auto active = static_cast<int64_t>(c.header.active);
  const auto rows = static_cast<int64_t>(c.node->rows.size());
  return std::sqrt(calibration.C(active, rows - active)) / sigma2;
}

// The margin a record may have: uniform in [-1, 1] if predictions start at random, else all rows
// have the same |z|, which PP solves from H = n p (1 - p).
double draw_margin(const AttackInput& input, const MaskedCandidate& root, Draws& draws) {
  if (input.spec.train.base_score == BaseScore::random || input.spec.train.gbdt)
    return 2 * draws.uniform() - 1;
  const double H = std::ldexp(static_cast<double>(root.node->totals[1]), root.level->exponent);
  const double variance = H / static_cast<double>(root.node->rows.size());
  const double p = (1 - std::sqrt(std::max(0.0, 1 - 4 * variance))) / 2;
  const double z = std::log(std::max(p, 1e-6) / (1 - p));
  return draws.uniform() < 0.5 ? z : -z;
}

void fabricate(const AttackInput& input, const Candidates& candidates,
               std::span<const double> radius, Lesson& out) {
  for (uint32_t record = 0; record < input.spec.attack.train_rows; ++record) {
    Draws draws(derive_key(input.seed, "fabricated"), record);
    const size_t n = input.rows, row = draws.below(static_cast<uint32_t>(n));
    const double z = draw_margin(input, candidates[0], draws), p = 1 / (1 + std::exp(-z));
    const double g = p - (draws.uniform() < 0.5), h = p * (1 - p);
    for (size_t i = 0; i < candidates.size(); ++i) {
      const MaskedCandidate& candidate = candidates[i];
      const std::vector<double> c = sphere(radius[i], candidate.W, draws);
      const std::vector<double> d = sphere(radius[i], candidate.W, draws);
      double masked_g = g, masked_h = h;
      for (size_t k = 0; k < c.size(); ++k) {
        const double b = candidate.b[k * n + row];
        masked_g += c[k] * b;
        masked_h += d[k] * b;
        out.fabricated.push_back(static_cast<float>(b));
      }
      out.fabricated.push_back(static_cast<float>(masked_g));
      if (!candidate.h.empty()) out.fabricated.push_back(static_cast<float>(masked_h));
    }
    out.g.push_back(static_cast<float>(g));
  }
}

std::vector<float> received(const AttackInput& input, const Candidates& candidates) {
  std::vector<float> x;
  const size_t n = input.rows;
  for (size_t row = 0; row < n; ++row) {
    for (const MaskedCandidate& c : candidates) {
      for (size_t k = 0; k < static_cast<size_t>(c.W); ++k)
        x.push_back(static_cast<float>(c.b[k * n + row]));
      x.push_back(static_cast<float>(static_cast<double>(c.g[row]) * c.step));
      if (!c.h.empty()) x.push_back(static_cast<float>(static_cast<double>(c.h[row]) * c.step));
    }
  }
  return x;
}

// Both by the mean and deviation of the fabricated records.
void standardise(std::vector<float>& learn, std::vector<float>& apply, size_t inputs) {
  const size_t rows = learn.size() / inputs;
  for (size_t k = 0; k < inputs; ++k) {
    double sum = 0, squares = 0;
    for (size_t j = 0; j < rows; ++j) sum += learn[j * inputs + k];
    const double mean = sum / static_cast<double>(rows);
    for (size_t j = 0; j < rows; ++j) squares += std::pow(learn[j * inputs + k] - mean, 2);
    const double deviation = std::max(std::sqrt(squares / static_cast<double>(rows)), 1e-12);
    for (std::vector<float>* x : {&learn, &apply})
      for (size_t j = k; j < x->size(); j += inputs)
        (*x)[j] = static_cast<float>(((*x)[j] - mean) / deviation);
  }
}

}  // namespace

Lesson make_lesson(const AttackInput& input) {
  const std::vector<TreeView> trees = tree_views(input);
  Candidates all;
  visit_masked(input, trees, [&](const MaskedCandidate& c) {
    if (c.tree == trees[0].tree && c.node->node == 0) all.push_back(c);
  });
  const Candidates chosen = evenly_spaced(all);
  std::vector<double> radius;
  for (const MaskedCandidate& c : chosen) radius.push_back(radius_of(c));
  Lesson out;
  out.inputs = inputs_of(chosen);
  out.rows = chosen[0].node->rows;
  fabricate(input, chosen, radius, out);
  out.received = received(input, chosen);
  standardise(out.fabricated, out.received, out.inputs);
  return out;
}

}  // namespace maskbench
