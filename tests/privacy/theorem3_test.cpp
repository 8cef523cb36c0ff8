#include "harness/privacy/theorem3.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/privacy/errors.hpp"
#include "harness/privacy/theorem3_tight.hpp"
#include "tests/privacy/reference.hpp"

namespace maskbench::privacy {
namespace {

TEST(Theorem3, abc_k_and_determinant) {
  for (const auto& e : reference()["abc_k_det"]) {
    const MaskSpectrum spectrum = mask_spectrum(e["n"], e["R"]);
    for (int i = 0; i < 3; ++i) {
      expect_close(spectrum.abc[i], e["abc"][i], e);
      expect_close(spectrum.k[i], e["k"][i], e);
    }
    expect_close(det_ratio(e["n"], e["R"]), e["det_ratio"], e);
  }
}

TEST(Theorem3, small_active_sets) {
  for (const auto& e : reference()["det_ratio_small"]) {
    auto k = mask_spectrum(e["n"], e["R"]).k;
    std::sort(k.begin(), k.end());
    ASSERT_EQ(k.size(), e["k"].size());
    for (size_t i = 0; i < k.size(); ++i) expect_close(k[i], e["k"][i], e);
    expect_close(det_ratio(e["n"], e["R"]), e["det_ratio"], e);
  }
}

TEST(Theorem3, determinant_ratio_is_the_product_of_the_eigenvalues) {
  for (const int64_t n : {1, 2, 3, 4, 7, 100}) {
    for (const double R : {1e-4, 0.03, 1.0, 50.0, 1e4}) {
      double product = 1;
      for (const double k : mask_spectrum(n, R).k) product *= 1 + k;
      EXPECT_NEAR(det_ratio(n, R) * product, 1, 1e-7) << n << " " << R;
      if (n >= 2) {
        EXPECT_LT(std::abs(mask_spectrum(n, R).log_det_ratio), std::log(2));
      }
    }
  }
}

TEST(Theorem3, saturating_n_changes_nothing_more) {
  for (const double R : {0.01, 0.46, 10.0}) {
    const int64_t n = saturating_n(R);
    EXPECT_DOUBLE_EQ(mask_spectrum(n, R).k[0], mask_spectrum(100 * n, R).k[0]);
    EXPECT_NE(mask_spectrum(n / 8 + 2, R).k[0], mask_spectrum(100 * n, R).k[0]);
  }
}

TEST(Theorem3, printed_delta) {
  for (const auto& e : reference()["thm3"]) {
    expect_close(theorem3_delta_printed(e["n"], e["R"], e["eps"], e["W"]), e["delta_paper_2ln2"],
                 e);
    expect_close(theorem3_delta_printed(e["n"], e["R"], e["eps"], e["W"], PrintedConstant::ln2),
                 e["delta_paper_ln2"], e);
  }
}

TEST(Theorem3, tails_of_both_directions) {
  for (const auto& e : reference()["thm3_tails"]) {
    MaskSpectrum spectrum;
    spectrum.k = e["k"].get<std::vector<double>>();
    expect_close(quadratic_tail(loss_eigenvalues(spectrum, Direction::forward), e["t"]), e["fwd"],
                 e);
    expect_close(quadratic_tail(loss_eigenvalues(spectrum, Direction::reverse), e["t"]), e["rev"],
                 e);
  }
}

// 4e5 draws: the standard error is at most 8e-4, so 4e-3 is five of them.
TEST(Theorem3, tails_agree_with_simulation_for_any_sign_of_t) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  for (const std::vector<double>& v :
       {std::vector{1.5, 0.4, -0.6}, {0.7, -0.2, -1.1}, {0.9, -0.5}, {2.0}, {-0.8}}) {
    const std::vector<double> ts = {-1.0, -0.1, 0.0, 0.3, 2.0};
    std::vector<int> hits(ts.size());
    constexpr int kDraws = 400000;
    for (int i = 0; i < kDraws; ++i) {
      double sum = 0;
      for (const double value : v) {
        const double y = normal(engine);
        sum += value * y * y;
      }
      for (size_t j = 0; j < ts.size(); ++j) hits[j] += sum >= ts[j];
    }
    for (size_t j = 0; j < ts.size(); ++j) {
      EXPECT_NEAR(quadratic_tail(v, ts[j]), double(hits[j]) / kDraws, 4e-3) << v[0] << " " << ts[j];
    }
  }
}

TEST(Theorem3, tight_delta) {
  for (const auto& e : reference()["pp_delta_tight_W1"]) {
    expect_close(theorem3_delta_one_sided(e["n"], e["R"], e["eps"], 1, Direction::forward),
                 e["fwd"], e);
    expect_close(theorem3_delta_one_sided(e["n"], e["R"], e["eps"], 1, Direction::reverse),
                 e["rev"], e);
    expect_close(theorem3_delta_tight(e["n"], e["R"], e["eps"], 1), e["delta"], e);
  }
}

// delta = Pr_truth(L > eps) - e^eps Pr_other(L > eps), both tails by the circle: another route to
// the contour integral, also for small n and for thresholds of either sign.
TEST(Theorem3, tight_delta_is_the_difference_of_two_tails) {
  for (const int64_t n : {1, 2, 3, 5, 1000}) {
    for (const double R : {0.15, 1.0, 10.0}) {
      for (const double eps : {0.05, 0.5, 2.0}) {
        const MaskSpectrum spectrum = mask_spectrum(n, R);
        const auto forward = loss_eigenvalues(spectrum, Direction::forward);
        auto reverse = loss_eigenvalues(spectrum, Direction::reverse);
        const double D = spectrum.log_det_ratio;
        auto negated = [](std::vector<double> v) {
          for (double& x : v) x = -x;
          return v;
        };
        const double f = quadratic_tail(forward, 2 * eps - D) -
                         std::exp(eps) * quadratic_tail(negated(reverse), 2 * eps - D);
        const double r = quadratic_tail(reverse, 2 * eps + D) -
                         std::exp(eps) * quadratic_tail(negated(forward), 2 * eps + D);
        EXPECT_NEAR(theorem3_delta_one_sided(n, R, eps, 1, Direction::forward), f, 1e-10)
            << n << " " << R << " " << eps;
        EXPECT_NEAR(theorem3_delta_one_sided(n, R, eps, 1, Direction::reverse), r, 1e-10)
            << n << " " << R << " " << eps;
      }
    }
  }
}

// Three columns by simulating the loss: E (1 - e^{eps - L})_+ with 4e5 draws, five standard errors.
TEST(Theorem3, tight_delta_of_several_columns_agrees_with_simulation) {
  constexpr int kDraws = 400000, W = 3;
  const double R = 1, eps = 2;
  const MaskSpectrum spectrum = mask_spectrum(1000, R);
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    const auto v = loss_eigenvalues(spectrum, direction);
    const double offset = (direction == Direction::forward ? 0.5 : -0.5) * spectrum.log_det_ratio;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      double loss = W * offset;
      for (int j = 0; j < W; ++j) {
        for (const double value : v) {
          const double y = normal(engine);
          loss += 0.5 * value * y * y;
        }
      }
      const double x = std::max(0.0, -std::expm1(eps - loss));
      sum += x, squares += x * x;
    }
    const double mean = sum / kDraws;
    const double error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(theorem3_delta_one_sided(1000, R, eps, W, direction), mean, 5 * error);
  }
}

TEST(Theorem3, renyi) {
  for (const auto& e : reference()["pp_rdp"]) {
    const double rdp = theorem3_renyi(e["n"], e["R"], e["alpha"], e["W"]);
    if (e["rdp"].is_null()) {
      EXPECT_TRUE(std::isinf(rdp)) << e.dump();
    } else {
      expect_close(rdp, e["rdp"], e);
    }
  }
}

TEST(Theorem3, renyi_tends_to_kullback_leibler) {
  for (const double R : {0.03, 1.0, 10.0}) {
    EXPECT_NEAR(theorem3_renyi(50, R, 1 + 1e-6, 2) / theorem3_kl(50, R, 2), 1, 1e-4);
  }
}

TEST(Theorem3, largest_ratio) {
  for (const auto& e : reference()["R_max"]) {
    const int64_t n = e["n"];
    const double eps = e["eps"], delta = e["delta"];
    const int W = e["W"];
    expect_close(R_max_printed(n, eps, delta, W), e["R_paper_2ln2"], e);
    expect_close(R_max_printed(n, eps, delta, W, PrintedConstant::ln2), e["R_paper_ln2"], e);
    expect_close(R_max_exactdet(n, eps, delta, W), e["R_both_exactdet"], e);
    const double tight = R_max_tight(n, eps, delta, W);
    if (!e["R_tight"].is_null()) expect_close(tight, e["R_tight"], e);
    EXPECT_GT(tight, R_max_exactdet(n, eps, delta, W)) << e.dump();
    EXPECT_NEAR(theorem3_delta_tight(n, tight, eps, W) / delta, 1, 1e-8);
  }
}

TEST(Theorem3, largest_ratio_of_many_messages) {
  for (const auto& e : reference()["R_max_rdp"]) {
    expect_close(R_max_rdp(e["n"], e["eps"], e["delta"], 1, e["K"]), e["R"], e);
  }
}

TEST(Theorem3, printed_statement_is_false_above_2_53) {
  for (const auto& e : reference()["thm3_violation"]) {
    const double R = R_max_printed(e["n"], e["eps"], e["claimed"], 1);
    expect_close(R, e["R"], e);
    const double truth = theorem3_delta_tight(e["n"], R, e["eps"], 1);
    expect_close(truth, e["true_delta"], e);
    EXPECT_EQ(truth > double(e["claimed"]), double(e["eps"]) > 2.53) << e.dump();
  }
}

TEST(Theorem3, delta_falls_with_eps_and_grows_with_the_ratio_and_W) {
  for (const auto kind : {Theorem3Kind::printed, Theorem3Kind::tight}) {
    double last = 1;
    for (double eps = 1.5; eps < 9; eps += 0.5) {
      const double delta = theorem3_delta(kind, 500, 0.4, eps, 1);
      EXPECT_LT(delta, last);
      last = delta;
    }
    last = 0;
    for (const double R : {0.01, 0.05, 0.2, 1.0, 5.0}) {
      const double delta = theorem3_delta(kind, 500, R, 2, 1);
      EXPECT_GT(delta, last);
      last = delta;
    }
    EXPECT_GT(theorem3_delta(kind, 500, 0.4, 4, 2), theorem3_delta(kind, 500, 0.4, 4, 1));
  }
}

TEST(Theorem3, epsilon_inverts_delta) {
  for (const auto kind : {Theorem3Kind::printed, Theorem3Kind::tight}) {
    for (const int W : {1, 3}) {
      const double eps = theorem3_epsilon(kind, 1000, 0.3, 1e-5, W);
      EXPECT_NEAR(theorem3_delta(kind, 1000, 0.3, eps, W) / 1e-5, 1, 1e-6);
    }
  }
}

TEST(Theorem3, infeasible_budget_names_the_party_and_the_largest_W) {
  try {
    solve_ratio(Theorem3Kind::printed, 32651, 1.5, 1e-5, 3);
    FAIL() << "eps 1.5 < 3 ln 2 must be refused";
  } catch (const Infeasible& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("PP"), std::string::npos) << text;
    EXPECT_NE(text.find("largest feasible W is 2"), std::string::npos) << text;
    EXPECT_NE(text.find("2.0794"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_THROW(solve_ratio(Theorem3Kind::printed, 32651, 0.5, 1e-5, 1), Infeasible);
  EXPECT_GT(solve_ratio(Theorem3Kind::tight, 32651, 0.5, 1e-5, 1), 0);
  EXPECT_GT(solve_ratio(Theorem3Kind::printed, 32651, 1.5, 1e-5, 2), 0);
}

}  // namespace
}  // namespace maskbench::privacy
