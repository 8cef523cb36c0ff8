#include "kernels/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness/trees/split_search.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

std::vector<GradientPair> extreme_gradients(size_t rows, uint32_t seed) {
  std::mt19937 random(seed);
  const int32_t limit = 1 << kGradientBits;
  std::vector<GradientPair> out(rows);
  for (GradientPair& p : out) {  // often at the limit, so that a half that overflows is seen
    p.g = random() % 3 ? -limit : static_cast<int32_t>(random() % (2 * limit + 1)) - limit;
    p.h = random() % 3 ? limit : static_cast<int32_t>(random() % (2 * limit + 1)) - limit;
  }
  return out;
}

std::vector<GradientSum> direct_sums(const PartyData& data,
                                     const std::vector<GradientPair>& gradients,
                                     std::span<const uint32_t> rows) {
  std::vector<GradientSum> sums(data.offsets.back());
  for (uint32_t row : rows) {
    for (int f = 0; f < data.bins.features; ++f) {
      sums[data.offsets[static_cast<size_t>(f)] + data.bins.at(row, f)] +=
          {gradients[row].g, gradients[row].h};
    }
  }
  return sums;
}

TEST(Histogram, equals_direct_sums_for_any_data) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const size_t rows = 1 + random() % 9000;
    const toy::Parties p =
        toy::parties(rows, 2 + static_cast<int>(random() % 9), seed, 2 + random() % 200);
    const std::vector<GradientPair> gradients = extreme_gradients(rows, seed);
    std::vector<uint32_t> some;
    for (uint32_t row = 0; row < rows; ++row) {
      if (random() % 4) some.push_back(row);
    }
    std::vector<GradientSum> sums(p.pp.offsets.back());
    std::vector<int64_t> packed(sums.size());
    histogram_rows(p.pp.matrix(), p.pp.offsets, gradients.data(), some, sums, packed);
    EXPECT_EQ(sums, direct_sums(p.pp, gradients, some)) << "seed " << seed;
  }
}

TEST(Histogram, sibling_by_subtraction_equals_direct_sums) {
  const toy::Parties p = toy::parties(5000, 6, 3);
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    LevelHistograms histograms(p.ap, pool);
    const Gradients gradients{{}, extreme_gradients(5000, 1)};
    RowSets sets(5000);
    const Level root = sets.root(0);
    histograms.update(root, gradients.rows);
    std::vector<uint64_t> bits(bit_words(5000));
    splitting_bits(p.ap, candidates_of(p.ap.cuts)[3], root.nodes[0].rows, bits);
    const RowSets::Split split{0, 1, 2, bits};
    const Level next = sets.split(root, {&split, 1}, pool);
    histograms.update(next, gradients.rows);
    for (size_t place : {0, 1}) {
      const auto sums = histograms[place];
      EXPECT_EQ(std::vector(sums.begin(), sums.end()),
                direct_sums(p.ap, gradients.rows, next.nodes[place].rows));
    }
  }
}

TEST(SplitSearch, finds_what_brute_force_over_all_candidates_finds) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    const toy::Parties p = toy::parties(700, 6, seed, 8);
    ThreadPool pool(1);
    const ScoreParams params{1.0, 0.1, 5.0};
    Gradients gradients;
    const std::vector<float> margins(700, 0.1f * static_cast<float>(seed));
    compute_gradients({}, p.data.labels, margins, pool, gradients);
    RowSets sets(700);
    const Level root = sets.root(0);
    const BestSplit found = SplitSearch(p.pp, params, pool).best_splits(root, gradients).front();
    BestSplit best;
    const double step = gradients.grid.step();
    for (const Candidate& c : candidates_of(p.pp.cuts)) {
      std::vector<uint64_t> bits(bit_words(700));
      splitting_bits(p.pp, c, root.nodes[0].rows, bits);
      double g[2] = {0, 0}, h[2] = {0, 0};
      for (size_t j = 0; j < 700; ++j) {
        const int side = bits[j / 64] >> (j % 64) & 1 ? 0 : 1;
        g[side] += gradients.rows[j].g * step;
        h[side] += gradients.rows[j].h * step;
      }
      if (h[0] < 5 || h[1] < 5) continue;
      const double score = 0.5 * (g[0] * g[0] / (h[0] + 1) + g[1] * g[1] / (h[1] + 1) -
                                  (g[0] + g[1]) * (g[0] + g[1]) / (h[0] + h[1] + 1)) -
                           0.1;
      if (score > best.score + 1e-12) best = {score, c};
    }
    EXPECT_NEAR(found.score, best.score, 1e-9);
    EXPECT_EQ(found.candidate, best.candidate) << "seed " << seed;
  }
}

}  // namespace
}  // namespace maskbench
