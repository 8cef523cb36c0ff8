// The one grid of masked's messages: what MaskedGrid promises the kernels and the budget, and how
// AP rounds to it.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/masked/rounded_gradients.hpp"
#include "harness/privacy/errors.hpp"
#include "harness/privacy/run_budget.hpp"
#include "kernels/noise.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

namespace mk = kernels;

constexpr int kExponent = -20;

RunSpec spec_of(double eps_ap, int W, double R, privacy::Unit unit = privacy::Unit::record) {
  RunSpec spec;
  spec.method = "masked";
  spec.privacy.eps_ap = eps_ap;
  spec.privacy.W = W;
  spec.privacy.ratio = R;
  spec.privacy.unit = unit;
  return spec;
}

struct Grid {
  Grid(const RunSpec& spec, size_t rows)
      : calibration(masked_calibration(spec, rows, 100)),
        grid(masked_grid(spec, calibration, kExponent, rows, 100)) {}
  privacy::MaskedCalibration calibration;
  privacy::MaskedGrid grid;
};

template <class Visit>
void each_case(Visit visit) {
  for (const privacy::Unit unit : {privacy::Unit::record, privacy::Unit::vector}) {
    for (const int W : {1, 2, 3, 16}) {
      for (const double R : {1e-3, 0.0324, 1.0, 30.0}) {
        for (const double eps : {0.01, 0.5, 8.0, 100.0}) visit(spec_of(eps, W, R, unit));
      }
    }
  }
}

std::vector<int64_t> active_counts(int64_t n) {
  return {1, 2, n / 10 + 1, n / 2, n - 1};
}

// The noise that is drawn is the noise that the budget asks for: sigma2 of b times |c| times the
// step is sqrt(C); more by what rounding c to integers may take away.
TEST(MaskedGrid, carries_the_deviation_of_every_candidate) {
  each_case([](const RunSpec& spec) {
    const Grid g(spec, 100'000);
    for (const int64_t n : {2, 3, 10, 1000, 100'000}) {
      const int shift = g.grid.shift(n);
      for (const int64_t active : active_counts(n)) {
        if (active >= n) continue;
        const double steps = g.grid.sigma2_steps(shift, active, n - active);
        const double weight = spec.privacy.W == 1 ? 1 : g.grid.radius(shift, active, n - active);
        const double sent = steps * weight * std::ldexp(1.0, shift + kExponent);
        const double asked = std::sqrt(g.calibration.C(active, n - active));
        EXPECT_GE(sent, asked * (1 - 1e-12));
        EXPECT_LE(sent, asked * (1 + (spec.privacy.W == 1 ? 1e-12 : 0.01)));
      }
    }
  });
}

// The kernels take the scale, and the message fits its integers.
TEST(MaskedGrid, resolves_r_and_keeps_every_integer_in_its_bits) {
  int wide = 0;
  each_case([&](const RunSpec& spec) {
    const Grid g(spec, 100'000);
    wide += g.grid.is_wide();
    for (const int64_t n : {2, 3, 10, 1000, 100'000}) {
      const int shift = g.grid.shift(n);
      EXPECT_GE(shift, privacy::MaskedGrid::kMinShift);
      EXPECT_LE(shift, privacy::MaskedGrid::kMaxShift);
      for (const int64_t active : active_counts(n)) {
        if (active >= n) continue;
        const double steps = g.grid.sigma2_steps(shift, active, n - active);
        ASSERT_NO_THROW(mk::noise_scale(std::sqrt(g.calibration.R) * steps, steps))
            << steps << " R " << g.calibration.R << " n " << n << " n_A " << active;
        const double largest_b = mk::kNormalMax * (2 * std::sqrt(g.calibration.R) + 1) * steps;
        const double c = spec.privacy.W == 1
                             ? 1
                             : std::sqrt(spec.privacy.W) * g.grid.radius(shift, active, n - active);
        const double bits = g.grid.is_wide() ? 0x1p62 : 0x1p31;
        EXPECT_LT(std::ldexp(1.0, 20 - std::min(shift, 0)) + c * largest_b, bits);
        if (spec.privacy.W > 1) {
          const double radius = g.grid.radius(shift, active, n - active);
          EXPECT_LT(radius, steps * std::sqrt(2 * g.calibration.R + 1) / 4);  // the spread of b
          EXPECT_GT(radius, 500);
        }
      }
    }
  });
  EXPECT_GT(wide, 0);   // both widths were tried
  EXPECT_LT(wide, 40);  // ... and 32 bits are the rule
}

TEST(MaskedGrid, leaves_room_for_a_PP_that_draws_other_noise_than_agreed) {
  for (const double sigma1 : {0.0, 0.5, 1.0, 4.0}) {
    for (const double sigma2 : {0.1, 0.5, 1.0, 4.0, 10.0}) {
      RunSpec spec = spec_of(1, 1, 0.5);
      spec.deviation.pp_sigma1 = sigma1;
      spec.deviation.pp_sigma2 = sigma2;
      const Grid g(spec, 10'000);
      const double steps = g.grid.sigma2_steps(g.grid.shift(1000), 500, 500);
      EXPECT_NO_THROW(mk::noise_scale(std::sqrt(0.5) * sigma1 * steps, sigma2 * steps));
    }
  }
}

std::string refusal(const RunSpec& spec) {
  try {
    const Grid g(spec, 30'000);
  } catch (const privacy::Infeasible& error) {
    return error.what();
  }
  return "";
}

// Budgets over 40 decades either have their noise (the test above) or are refused with the key and
// the nearest budget that is not.
TEST(MaskedGrid, refuses_noise_that_it_cannot_carry) {
  for (const int W : {1, 3}) {
    for (const double eps : {1e-30, 1e-17, 1e-9, 1e12, 1e300}) {
      const std::string why = refusal(spec_of(eps, W, 0.0324));
      EXPECT_NE(why.find("privacy.eps_ap"), std::string::npos) << eps << ' ' << why;
      EXPECT_NE(why.find(eps < 1 ? "smallest eps_ap" : "largest eps_ap"), std::string::npos) << why;
      const double works = std::stod(why.substr(why.find("works here is ") + 14));
      EXPECT_EQ(refusal(spec_of(works * (eps < 1 ? 1.01 : 0.99), W, 0.0324)), "") << why;
      EXPECT_NE(refusal(spec_of(works * (eps < 1 ? 0.9 : 1.1), W, 0.0324)), "") << why;
    }
  }
  EXPECT_NE(refusal(spec_of(1, 1, 1e5)).find("privacy.eps_pp"), std::string::npos);
}

TEST(MaskedGrid, without_noise_is_the_grid_of_the_gradients) {
  RunSpec spec = spec_of(1, 1, 0);
  spec.privacy.zero_noise = true;
  const Grid g(spec, 1000);
  EXPECT_EQ(g.grid.shift(1000), 0);
  EXPECT_EQ(g.grid.sigma2_steps(0, 500, 500), 0);
}

struct Rounded {
  Rounded() : grid(spec_of(0.5, 1, 0.0324), 1000), values({3, 4}, pool) {
    for (uint32_t j = 0; j < 1000; ++j) {
      rows.push_back(j);
      clean.rows.push_back({static_cast<int32_t>(j * 2097) - (1 << 20), static_cast<int32_t>(j)});
    }
    level.nodes.push_back({0, -1, rows});
  }
  ThreadPool pool{2};
  Grid grid;
  RoundedGradients values;
  Gradients clean;
  std::vector<uint32_t> rows;
  Level level;
};

// 4000 trees: the mean of floor(g / 2^k + u) is g / 2^k, its error at most 1/2 a draw.
TEST(RoundedGradients, have_no_bias) {
  Rounded r;
  const int shift = r.grid.grid.shift(1000);
  ASSERT_GT(shift, 4);
  std::vector<double> g(1000), h(1000);
  constexpr int kTrees = 4000;
  for (int tree = 0; tree < kTrees; ++tree) {
    r.level.tree = tree;
    r.values.begin_tree(tree, r.clean);
    EXPECT_TRUE(r.values.update(r.level, r.grid.grid));
    for (size_t j = 0; j < 1000; ++j) {
      const double exact = std::ldexp(r.clean.rows[j].g, -shift);
      ASSERT_LT(std::abs(r.values.rows()[j].g - exact), 1);
      g[j] += (r.values.rows()[j].g - exact) / kTrees;
      h[j] += (r.values.rows()[j].h - std::ldexp(r.clean.rows[j].h, -shift)) / kTrees;
    }
  }
  for (size_t j = 0; j < 1000; ++j) {
    EXPECT_LT(std::abs(g[j]), 4.9 * 0.5 / std::sqrt(kTrees));
    EXPECT_LT(std::abs(h[j]), 4.9 * 0.5 / std::sqrt(kTrees));
  }
}

TEST(RoundedGradients, stay_the_same_from_level_to_level) {
  Rounded r;
  r.values.begin_tree(0, r.clean);
  r.values.update(r.level, r.grid.grid);
  const std::vector<GradientPair> root(r.values.rows().begin(), r.values.rows().end());
  Level below{0, 1, {}};
  below.nodes.push_back({1, 0, std::span(r.rows).first(600)});
  below.nodes.push_back({2, 0, std::span(r.rows).subspan(600)});
  EXPECT_FALSE(r.values.update(below, r.grid.grid));
  EXPECT_TRUE(std::ranges::equal(root, r.values.rows()));
}

}  // namespace
}  // namespace maskbench
