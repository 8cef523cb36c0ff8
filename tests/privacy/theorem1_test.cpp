#include "harness/privacy/theorem1.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/privacy/reference.hpp"

namespace maskbench::privacy {
namespace {

using nlohmann::json;

SplitSums split_of(const json& e) {
  return {e["gL"], e["hL"], e["gR"], e["hR"], e["lam"]};
}

double score(double gL, double hL, double G, double H, double lambda, double gamma) {
  const double gR = G - gL, hR = H - hL;
  return 0.5 * (gL * gL / (hL + lambda) + gR * gR / (hR + lambda) - G * G / (H + lambda)) - gamma;
}

// How the noise on g and on h hang together.
enum class Sharing { independent, same_sign, opposite_sign, random_sign, sphere3 };

// Share of draws whose noisy score is off by alpha or more.
double simulate(const json& e, Sharing sharing, int draws) {
  const SplitSums s = split_of(e);
  const double alpha = e["alpha"], scale = e["kappa"], G = s.gL + s.gR, H = s.hL + s.hR;
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  const double truth = score(s.gL, s.hL, G, H, s.lambda, 0);
  int off = 0;
  for (int i = 0; i < draws; ++i) {
    double on_g = normal(engine), on_h = on_g;
    if (sharing == Sharing::independent) on_h = normal(engine);
    if (sharing == Sharing::opposite_sign) on_h = -on_g;
    if (sharing == Sharing::random_sign && engine() & 1) on_h = -on_g;
    if (sharing == Sharing::sphere3) {  // c.r and d.r for c, d on the sphere of R^3, r normal
      double c[3], d[3], cc = 0, dd = 0, cr = 0, dr = 0;
      for (int k = 0; k < 3; ++k) {
        c[k] = normal(engine), d[k] = normal(engine), cc += c[k] * c[k], dd += d[k] * d[k];
      }
      for (int k = 0; k < 3; ++k) {
        const double r = normal(engine);
        cr += c[k] * r, dr += d[k] * r;
      }
      on_g = cr / std::sqrt(cc), on_h = dr / std::sqrt(dd);
    }
    const double noisy = score(s.gL + scale * on_g, s.hL + scale * on_h, G, H, s.lambda, 0);
    off += std::abs(noisy - truth) >= alpha;
  }
  return double(off) / draws;
}

// Below 1e-11 the reference's own quadrature has 1e-4 of error left (40 digits of mpmath side with
// ours), so there only the size is compared.
TEST(Theorem1, reference) {
  for (const auto& e : reference()["thm1"]) {
    const double U = utility_bound(e["alpha"], e["kappa"], split_of(e));
    expect_close(U, e["U"], e, 1e-6, 1e-16);
    if (double(e["U"]) > 0 && double(e["U"]) < 1e-11) {
      EXPECT_NEAR(std::log(U), std::log(double(e["U"])), 1e-3) << e.dump();
    }
    const double printed = utility_bound_printed(e["alpha"], e["kappa"], split_of(e));
    if (e.contains("U_as_printed") && !e["U_as_printed"].is_null()) {
      expect_close(printed, e["U_as_printed"], e);
    } else {
      EXPECT_TRUE(std::isnan(printed)) << e.dump();
    }
  }
}

// Against 40 digits of mpmath: where a double's quadrature could go wrong unseen.
TEST(Theorem1, tiny_tails_keep_their_precision) {
  const SplitSums split{300, 900, -250, 1100, 1};
  EXPECT_NEAR(utility_bound(0.5, 0.1, split) / 1.301007039277070620e-13, 1, 1e-7);
  EXPECT_NEAR(utility_bound(2, 0.1, split) / 3.41984975790455832e-191, 1, 1e-7);
  EXPECT_NEAR(utility_bound(20, 1, split) / 3.142469341338951490e-175, 1, 1e-7);
}

// The reference's Monte Carlo has 1e5 draws, ours too: five joint standard errors are 0.0112.
TEST(Theorem1, simulation_agrees_with_the_reference) {
  constexpr int kDraws = 100000;
  const auto entries = reference()["thm1"];
  for (size_t i = 0; i < entries.size(); i += 3) {
    const auto& e = entries[i];
    expect_close(simulate(e, Sharing::independent, kDraws), e["mc_indep"], e, 0, 0.0112);
    expect_close(simulate(e, Sharing::same_sign, kDraws), e["mc_corr+1"], e, 0, 0.0112);
    expect_close(simulate(e, Sharing::opposite_sign, kDraws), e["mc_corr-1"], e, 0, 0.0112);
    expect_close(simulate(e, Sharing::sphere3, kDraws), e["mc_W3"], e, 0, 0.0112);
  }
}

TEST(Theorem1, random_signs_do_not_exceed_the_bound) {
  constexpr int kDraws = 50000;  // five standard errors: at most 0.0112
  json all = reference()["thm1"];
  for (const auto& e : reference()["thm1_counterexample"]) all.push_back(e);
  for (const auto& e : all) {
    const double U = utility_bound(e["alpha"], e["kappa"], split_of(e));
    const double slack = 5 * std::sqrt(0.25 / kDraws);
    EXPECT_LE(simulate(e, Sharing::random_sign, kDraws), U + slack) << e.dump();
    EXPECT_LE(simulate(e, Sharing::sphere3, kDraws), U + slack) << e.dump();
    EXPECT_LE(simulate(e, Sharing::independent, kDraws), U + slack) << e.dump();
  }
}

// The theorem takes the noise on g and h to be independent; at W = 1 it is the same up to a sign.
TEST(Theorem1, fixed_sign_exceeds_the_bound) {
  constexpr int kDraws = 1000000;
  for (const auto& e : reference()["thm1_counterexample"]) {
    const double U = utility_bound(e["alpha"], e["kappa"], split_of(e));
    expect_close(U, e["U"], e);
    const double worst = std::max(simulate(e, Sharing::same_sign, kDraws),
                                  simulate(e, Sharing::opposite_sign, kDraws));
    const double error = std::sqrt(worst * (1 - worst) / kDraws);
    expect_close(worst, e["mc_worst_sign"], e, 0, 8 * error);
    EXPECT_GT(worst, U + 5 * error);
  }
}

// Exactly, by a sum over the one normal that W = 1 has: shares of draws in which the score, and in
// which either side's quality, is off by alpha or more, averaged over the sign.
struct Shares {
  double score = 0, either_side = 0;
};
Shares exact_shares(const SplitSums& s, double alpha, double scale) {
  constexpr int kSteps = 200000;
  constexpr double kReach = 9, kStep = 2 * kReach / kSteps;
  const auto quality = [&](double g, double h) { return g * g / (h + s.lambda); };
  Shares out;
  for (const int sign : {1, -1}) {
    for (int i = 0; i < kSteps; ++i) {
      const double z = -kReach + (i + 0.5) * kStep, on_g = scale * z, on_h = sign * on_g;
      const double left = quality(s.gL + on_g, s.hL + on_h) - quality(s.gL, s.hL);
      const double right = quality(s.gR - on_g, s.hR - on_h) - quality(s.gR, s.hR);
      const double weight = 0.5 * kStep * std::exp(-0.5 * z * z) / std::sqrt(2 * std::acos(-1.0));
      out.score += weight * (std::abs(left + right) / 2 >= alpha);
      out.either_side += weight * (std::abs(left) >= alpha || std::abs(right) >= alpha);
    }
  }
  return out;
}

// With random signs the bound holds for what it speaks of, the score. It does not hold for "either
// side is off": the sum over both sides is no union bound once g and h share their noise.
TEST(Theorem1, random_signs_keep_the_score_but_not_either_side) {
  for (const SplitSums& s : {SplitSums{-60, 60, 60, 60, 1}, SplitSums{-300, 300, 300, 300, 1},
                             SplitSums{-60, 40, 60, 50, 1}}) {
    for (const double alpha : {6.0, 8.0, 10.0}) {
      const double U = utility_bound(alpha, 1, s);
      const Shares shares = exact_shares(s, alpha, 1);
      EXPECT_LT(shares.score, U) << s.gL << ' ' << alpha;
      EXPECT_GT(shares.either_side, U) << s.gL << ' ' << alpha;
    }
  }
  // As docs/privacy.md has it.
  const SplitSums even{-60, 60, 60, 60, 1};
  EXPECT_NEAR(utility_bound(8, 1, even), 6.24e-4, 1e-6);
  EXPECT_NEAR(exact_shares(even, 8, 1).score, 7.5e-5, 1e-6);
  EXPECT_NEAR(exact_shares(even, 8, 1).either_side, 6.88e-3, 1e-5);
}

TEST(Theorem1, bound_vanishes_with_kappa_and_the_printed_one_tends_to_two) {
  const SplitSums split{300, 900, -250, 1100, 1};
  double last = 3;
  for (const double noise : {50.0, 10.0, 2.0, 0.5, 0.1}) {
    const double U = utility_bound(1, noise, split);
    EXPECT_LT(U, last);
    last = U;
  }
  EXPECT_LT(last, 1e-12);
  EXPECT_EQ(utility_bound(1, 0, split), 0);
  EXPECT_NEAR(utility_bound_printed(1, 0.1, split), 2, 1e-12);
}

TEST(Theorem1, bound_falls_with_alpha_across_both_cases) {
  const SplitSums split{5, 4, -8, 10, 1};  // C_L = 5, C_R = 5.8
  double last = 3;
  for (const double alpha : {0.01, 0.5, 2.0, 4.9, 4.9999, 5.0001, 5.5, 6.0, 20.0, 200.0}) {
    const double U = utility_bound(alpha, 5, split);
    EXPECT_LT(U, last);
    last = U;
  }
  EXPECT_NEAR(utility_bound(5 - 1e-9, 5, split), utility_bound(5 + 1e-9, 5, split), 1e-4);
}

TEST(Theorem1, split_score_deviation) {
  for (const auto& e : reference()["split_score"]) {
    expect_close(score(e["gL"], e["hL"], e["G"], e["H"], e["lam"], e["gamma"]), e["score"], e);
  }
}

}  // namespace
}  // namespace maskbench::privacy
