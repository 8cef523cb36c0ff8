#include "harness/privacy/theorem2.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/theorem1.hpp"
#include "tests/privacy/reference.hpp"

namespace maskbench::privacy {
namespace {

using nlohmann::json;

// u = p_t - p_{t-1} over the active rows, cyclic; 0 elsewhere.
std::vector<double> active_noise(const json& m, const json& p) {
  std::vector<double> u(m.size());
  size_t t = 0;
  for (size_t row = 0; row < m.size(); ++row) {
    if (m[row] == 0) continue;
    u[row] = double(p[t]) - double(p[(t + p.size() - 1) % p.size()]);
    ++t;
  }
  return u;
}

TEST(Theorem2, worked_example) {
  const json& e = reference()["worked_example"];
  const auto u = active_noise(e["m"], e["p"]);
  double mTu = 0, mTr = 0, mTb = 0;
  for (size_t i = 0; i < u.size(); ++i) {
    EXPECT_EQ(int(e["m"][i]), int(e["age"][i]) <= int(e["threshold"]));
    EXPECT_NEAR(u[i], double(e["u"][i]), 1e-15);
    const double b = u[i] + double(e["v"][i]) + double(e["r"][i]);
    EXPECT_NEAR(b, double(e["b"][i]), 1e-15);
    const double active = e["m"][i];
    mTu += active * u[i], mTr += active * double(e["r"][i]), mTb += active * b;
  }
  EXPECT_NEAR(mTu, 0, 1e-15);
  EXPECT_NEAR(mTr, e["mTr"], 1e-15);
  EXPECT_NEAR(mTb, e["mTb"], 1e-15);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_DOUBLE_EQ(active_covariance(4, i, j, e["sigma1_sq"], e["sigma2_sq"]),
                       e["cov_active"][i][j]);
    }
  }
}

TEST(Theorem2, active_noise_is_cyclic) {
  for (const auto& e : reference()["active_noise"]) {
    EXPECT_EQ(active_noise(e["m"], e["p"]), e["u"].get<std::vector<double>>()) << e.dump();
  }
}

TEST(Theorem2, covariance_eigenvalues) {
  for (const auto& e : reference()["cov_active_eigenvalues"]) {
    const int n = e["nA"];
    Eigen::MatrixXd covariance(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        covariance(i, j) = active_covariance(n, i, j, e["sigma1_sq"], e["sigma2_sq"]);
      }
    }
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance).eigenvalues();
    for (int i = 0; i < n; ++i) expect_close(values[i], e["eig"][i], e);
  }
}

TEST(Theorem2, quadratic_forms) {
  for (const auto& e : reference()["quad_forms"]) {
    const MaskNoise noise{e["C"], e["sigma1_sq"], e["sigma2_sq"]};
    const int64_t nA = e["nA"], nI = e["nI"];
    expect_close(quadratic_form_vector(e["mu"], nA, nI, noise), e["literal"], e);
    expect_close(quadratic_form_record(e["mu"], nA, nI, noise), e["record"], e);
    expect_close(quadratic_form_record_limit(e["mu"], noise), e["record_inf"], e);
    if (nA + nI > 200) continue;
    expect_close(quadratic_form_numeric(Unit::vector, e["mu"], nA, nI, noise), e["literal"], e);
    expect_close(quadratic_form_numeric(Unit::record, e["mu"], nA, nI, noise), e["record"], e);
  }
}

TEST(Theorem2, required_scale) {
  for (const auto& e : reference()["Csigma2sq_required"]) {
    const double s = s_bound(e["eps"], e["delta"]);
    const int64_t nA = e["nA"], nI = e["nI"];
    const double record = ScaleSolver(Unit::record, e["mu"], e["R"], s).C_sigma2_sq(nA, nI);
    const double vector = ScaleSolver(Unit::vector, e["mu"], e["R"], s).C_sigma2_sq(nA, nI);
    expect_close(record, e["record"], e);
    expect_close(vector, e["literal"], e);
    expect_close(kappa(double(nA), record, 1), e["kappa_record"], e);
    expect_close(kappa(double(nA), vector, 1), e["kappa_literal"], e);
  }
}

// As R grows only the sum over the active rows stays noisy: kappa^2 falls to mu^2/s, what a central
// curator would add to the sum.
TEST(Theorem2, limit_of_the_mask) {
  for (const auto& e : reference()["central_limit_of_mask"]) {
    const ScaleSolver solver(Unit::record, e["mu"], e["R"], e["s"]);
    const int64_t nA = e["nA"];
    expect_close(double(nA) * solver.C_sigma2_sq(nA, 10), e["kappa_sq_required"], e);
  }
}

TEST(Theorem2, solved_scale_meets_the_budget_exactly) {
  for (const auto unit : {Unit::record, Unit::vector}) {
    for (const int64_t nA : {1, 2, 3, 17, 60}) {
      for (const double R : {0.0324, 1.0, 100.0}) {
        const double C = ScaleSolver(unit, 1.46, R, 0.25).C_sigma2_sq(nA, 20);
        EXPECT_NEAR(quadratic_form_numeric(unit, 1.46, nA, 20, {C, R, 1}), 0.25, 1e-9);
      }
    }
  }
}

TEST(Theorem2, scale_grows_with_mu_and_falls_with_the_budget) {
  const auto scale = [](double mu, double q) {
    return ScaleSolver(Unit::record, mu, 0.1, q).C_sigma2_sq(30, 30);
  };
  EXPECT_GT(scale(2, 0.1), scale(1, 0.1));
  EXPECT_GT(scale(1, 0.1), scale(1, 0.2));
}

TEST(Theorem2, pair_of_g_and_h_is_unbounded_at_W_1) {
  EXPECT_TRUE(std::isinf(quadratic_form_pair(0.1, 1)));
  EXPECT_TRUE(std::isinf(quadratic_form_pair(0.1, -1)));
  EXPECT_NEAR(quadratic_form_pair(0.3, 0.5), 0.4, 1e-15);
  EXPECT_TRUE(std::isinf(pair_inflation(1, 1e-3)));
  EXPECT_NEAR(pair_inflation(3, 0.01), 1 / (1 - 0.99), 1e-6);  // W = 3: r is uniform on [-1, 1]
  EXPECT_GT(pair_inflation(2, 0.01), pair_inflation(3, 0.01));
  EXPECT_GT(pair_inflation(3, 0.01), pair_inflation(10, 0.01));
}

}  // namespace
}  // namespace maskbench::privacy
