#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/privacy/calibration.hpp"
#include "harness/privacy/contour.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/rdp.hpp"
#include "harness/privacy/theorem3_tight.hpp"

// The tables of docs/privacy.md are what the code says.
namespace maskbench::privacy {
namespace {

constexpr int64_t kRows = 32651;
constexpr double kDelta = 1.0 / kRows;

using Row = std::vector<std::string>;

std::vector<Row> table(const std::string& name) {
  std::ifstream file(MASKBENCH_TEST_DIR "/../docs/privacy.md");
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (inside && (line.empty() || line[0] != '|')) break;
    if (inside) {
      Row row;
      std::istringstream cells(line.substr(2));
      for (std::string word; cells >> word;) {
        if (word != "|") row.push_back(word);
      }
      rows.push_back(row);
    }
    inside |= line == "<!-- " + name + " -->";
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

void expect_row(const Row& row, size_t first, const std::vector<double>& values, int digits = 4) {
  ASSERT_EQ(row.size(), first + values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double written = std::stod(row[first + i]);
    const double unit = std::pow(10, std::floor(std::log10(values[i])) - digits + 1);
    EXPECT_NEAR(written, values[i], 0.51 * unit) << fmt::format("{}", fmt::join(row, " | "));
  }
}

TEST(Docs, gaussian_table) {
  for (const Row& row : table("gaussian")) {
    const double eps = std::stod(row[0]), root = std::sqrt(s_bound(eps, 1e-3));
    expect_row(row, 1, {root, gaussian_m(eps, 1e-3), gaussian_epsilon(root, 1e-3)});
  }
}

TEST(Docs, ratio_table) {
  for (const Row& row : table("ratios")) {
    const double eps = std::stod(row[0]), R = R_max_printed(kRows, eps, kDelta, 1);
    const double ln2 = R_max_printed(kRows, eps, kDelta, 1, PrintedConstant::ln2);
    expect_row({row.begin(), row.begin() + 2}, 1, {R});
    expect_row({row.begin(), row.begin() + 3}, 2, {theorem3_delta_tight(kRows, R, eps, 1) / kDelta},
               3);
    expect_row(row, 3,
               {ln2, R_max_exactdet(kRows, eps, kDelta, 1), R_max_tight(kRows, eps, kDelta, 1)});
  }
}

TEST(Docs, cycle_table) {
  for (const Row& row : table("cycles")) {
    const double eps = std::stod(row[0]), R = R_max_printed(kRows, eps, kDelta, 1);
    std::vector<double> values;
    for (const int64_t n_active : {1, 2, 3, 4, 8, 1000}) {
      values.push_back(theorem3_delta_tight(n_active, R, eps, 1) / kDelta);
    }
    expect_row(row, 1, values, 3);
  }
}

TEST(Docs, cost_table) {
  const double R = R_max_printed(kRows, 1, kDelta, 1);
  for (const Row& row : table("costs")) {
    const double K = std::stod(row[0]);
    std::vector<double> values{gaussian_epsilon(std::sqrt(K * s_bound(1, 1e-3)), 1e-3)};
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      QuadraticLoss loss;
      add_theorem3_loss(loss, kRows, R, 1, direction, K);
      values.push_back(hockey_stick_epsilon(loss, kDelta));
    }
    values.push_back(
        rdp_epsilon([&](double alpha) { return K * theorem3_renyi(kRows, R, alpha, 1); }, kDelta));
    expect_row(row, 1, values);
  }
}

TEST(Docs, preset_table) {
  for (const Row& row : table("presets")) {
    const Preset preset = parse_preset(row[0]);
    MaskedBudget budget;
    budget.n = kRows;
    budget.reading = preset_reading(preset, Family::masked);
    budget.pp = budget.ap = {60, 6, 78120};
    if (mu_of_hessian(budget.reading.mu) > 0) budget.ap.messages *= 2;
    const MaskedCalibration c = calibrate_masked(budget);
    const int64_t active = kRows / 2;
    const double noise = c.kappa(active, kRows - active);
    const double iid = c.mu * std::sqrt(double(active) / c.q);
    EXPECT_EQ(std::stol(row[1]), c.pp_steps);
    expect_row(row, 2, {c.R, std::sqrt(c.q), noise, iid / noise});
  }
}

TEST(Docs, printed_theorem_has_no_solution_for_60_steps_below_66_9) {
  EXPECT_NEAR(advanced_composition(std::log(2), 60, kDelta / 2), 66.9, 0.05);
}

}  // namespace
}  // namespace maskbench::privacy
