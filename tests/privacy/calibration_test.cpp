#include "harness/privacy/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/privacy/calibration_report.hpp"
#include "harness/privacy/errors.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/mechanism_cost.hpp"
#include "harness/privacy/spend.hpp"
#include "harness/privacy/theorem3_tight.hpp"
#include "tests/privacy/reference.hpp"

namespace maskbench::privacy {
namespace {

MaskedBudget adult_budget(Preset preset) {
  MaskedBudget budget;
  budget.n = 32651;
  budget.reading = preset_reading(preset, Family::masked);
  budget.ap = budget.pp = {60, 6, 78120};
  return budget;
}

TEST(Readings, mu) {
  const auto& e = reference()["lambda_paper_mu"];
  expect_close(mu_of_gradient(MuKind::paper), e["mu"], e);
  expect_close(mu_of_gradient(MuKind::label), e["label_flip_dg"], e);
  expect_close(mu_of_gradient(MuKind::range), e["range_dg"], e);
  expect_close(mu_of_hessian(MuKind::range), e["range_dh"], e);
  EXPECT_EQ(mu_of_hessian(MuKind::label), 0);
}

TEST(Readings, names_round_trip_and_unknown_ones_are_refused) {
  for (const auto name : {"message", "tree", "level", "training"}) {
    EXPECT_EQ(name_of(parse_scope(name)), name);
  }
  for (const auto name : {"basic", "advanced", "gdp", "pld"}) {
    EXPECT_EQ(name_of(parse_composition(name)), name);
  }
  for (const auto name : {"record", "vector"}) EXPECT_EQ(name_of(parse_unit(name)), name);
  for (const auto name : {"paper", "label", "range"}) EXPECT_EQ(name_of(parse_mu(name)), name);
  for (const auto name : {"printed", "tight"}) EXPECT_EQ(name_of(parse_theorem3(name)), name);
  for (const auto name : {"paper", "equal", "sound"}) EXPECT_EQ(name_of(parse_preset(name)), name);
  try {
    parse_scope("epoch");
    FAIL();
  } catch (const InvalidBudget& error) {
    EXPECT_STREQ(error.what(),
                 "privacy.scope: 'epoch' is not one of message, tree, level, training");
  }
}

TEST(Readings, presets) {
  EXPECT_EQ(preset_reading(Preset::paper, Family::masked).scope, Scope::message);
  EXPECT_EQ(preset_reading(Preset::paper, Family::ldp).scope, Scope::tree);
  EXPECT_EQ(preset_leaves(Preset::paper), Leaves::noisy);
  EXPECT_EQ(preset_leaves(Preset::equal), Leaves::clean);
  EXPECT_EQ(preset_leaves(Preset::message), Leaves::clean);
  for (const auto family : {Family::masked, Family::ldp}) {
    EXPECT_EQ(preset_reading(Preset::equal, family).scope, Scope::training);
    EXPECT_EQ(preset_reading(Preset::message, family),
              preset_reading(Preset::paper, Family::masked));
    const Reading sound = preset_reading(Preset::sound, family);
    EXPECT_EQ(sound.scope, Scope::training);
    EXPECT_EQ(sound.theorem3, Theorem3Kind::tight);
    EXPECT_EQ(sound.mu, MuKind::label);
  }
}

TEST(Readings, steps_of_each_scope) {
  const Shape shape{60, 6, 78120};
  EXPECT_EQ(steps(Scope::message, shape), 1);
  EXPECT_EQ(steps(Scope::tree, shape), 60);
  EXPECT_EQ(steps(Scope::level, shape), 360);
  EXPECT_EQ(steps(Scope::training, shape), 78120);
}

TEST(Calibration, paper_reading_is_theorems_2_and_3) {
  const MaskedCalibration c = calibrate_masked(adult_budget(Preset::paper));
  EXPECT_NEAR(c.R, 0.0323868134747022, 1e-7);  // reference.json's R_max
  EXPECT_NEAR(c.q, s_bound(1, 1e-3), 1e-12);
  EXPECT_EQ(c.sigma2, 1);
  EXPECT_NEAR(c.sigma1 * c.sigma1, c.R, 1e-12);
  for (const int64_t nA : {1, 5, 300}) {
    EXPECT_NEAR(c.m(Unit::record, nA, 200), std::sqrt(c.q), 1e-12);
    EXPECT_GT(c.m(Unit::vector, nA, 200), std::sqrt(c.q));
    const MaskNoise noise{c.C(nA, 200), c.R, 1};
    EXPECT_NEAR(quadratic_form_record(c.mu, nA, 200, noise), c.q, 1e-12);
  }
}

// All messages of a training at the shortest cycle, n_A = 2, by the accountant's sum.
TEST(Calibration, equal_and_sound_spend_the_budget_of_the_training) {
  for (const Preset preset : {Preset::equal, Preset::sound}) {
    MaskedBudget budget = adult_budget(preset);
    const bool with_h = mu_of_hessian(budget.reading.mu) > 0;
    budget.set_shape(60, 6, 217, true);
    const MaskedCalibration c = calibrate_masked(budget);
    const double m = std::sqrt(c.q);
    const Mechanism g = Mechanism::gaussian(m, m), b = Mechanism::theorem3(c.R, 1, 2);
    const CountedMechanism vectors[] = {{&g, with_h ? 2 * 78120.0 : 78120.0}};
    const CountedMechanism noise[] = {{&b, 78120.0}};
    const double ap = composed_cost(vectors, budget.reading, 1e-3);
    const double pp = composed_cost(noise, budget.reading, 1 / 32651.0);
    EXPECT_LE(ap, 1 + 1e-9) << name_of(preset);
    EXPECT_GT(ap, 0.99) << name_of(preset);
    EXPECT_LE(pp, 1 + 1e-6) << name_of(preset);
    EXPECT_GT(pp, 0.99) << name_of(preset);
  }
}

TEST(Calibration, noise_falls_as_the_budget_grows) {
  double last = std::numeric_limits<double>::infinity();
  for (const double eps : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    MaskedBudget budget = adult_budget(Preset::paper);
    budget.eps_ap = eps;
    const double noise = calibrate_masked(budget).kappa(100, 100);
    EXPECT_LT(noise, last);
    last = noise;
  }
}

TEST(Calibration, fixed_ratio_needs_no_budget_of_PP) {
  MaskedBudget budget = adult_budget(Preset::paper);
  budget.ratio = 100;
  budget.eps_pp = 0.1;
  budget.W = 3;
  const MaskedCalibration c = calibrate_masked(budget);
  EXPECT_EQ(c.R, 100);
  // Against i.i.d. noise of the same privacy the mask lowers kappa by (1 + 4R)^(1/4).
  const double iid = c.mu / std::sqrt(c.q) * std::sqrt(5000.0);
  EXPECT_NEAR(iid / c.kappa(5000, 5000), std::pow(401, 0.25), 1e-6);
}

TEST(Calibration, zero_noise_is_zero) {
  MaskedBudget budget = adult_budget(Preset::paper);
  budget.zero_noise = true;
  budget.eps_ap = 0;  // not looked at
  const MaskedCalibration c = calibrate_masked(budget);
  EXPECT_EQ(c.C(10, 10), 0);
  EXPECT_EQ(c.sigma1, 0);
  EXPECT_EQ(c.sigma2, 0);
  LdpBudget ldp;
  ldp.zero_noise = true;
  EXPECT_EQ(gaussian_sigma(ldp), 0);
}

TEST(Calibration, impossible_budgets_say_so_in_one_line) {
  MaskedBudget budget = adult_budget(Preset::paper);
  budget.W = 3;
  budget.eps_pp = 2;
  try {
    calibrate_masked(budget);
    FAIL();
  } catch (const Infeasible& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("PP"), std::string::npos);
    EXPECT_NE(text.find("largest feasible W is 2"), std::string::npos) << text;
    EXPECT_NE(text.find("2.0794"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  budget = adult_budget(Preset::equal);
  budget.reading.scope = Scope::tree;
  budget.reading.theorem3 = Theorem3Kind::printed;  // 60 steps of ln 2 each
  EXPECT_THROW(calibrate_masked(budget), Infeasible);
  budget = adult_budget(Preset::paper);
  budget.eps_ap = -1;
  EXPECT_THROW(calibrate_masked(budget), InvalidBudget);
  budget.eps_ap = 1;
  budget.delta_ap = 1;
  EXPECT_THROW(calibrate_masked(budget), InvalidBudget);
}

TEST(Calibration, named_nearest_budget_is_feasible_just_above) {
  MaskedBudget budget = adult_budget(Preset::equal);
  budget.reading.scope = Scope::tree;
  budget.reading.theorem3 = Theorem3Kind::printed;
  const double nearest = advanced_composition(std::log(2), 60, 0.5 / 32651);
  budget.eps_pp = nearest * 1.01;
  EXPECT_GT(calibrate_masked(budget).R, 0);
  budget.eps_pp = nearest * 0.99;
  EXPECT_THROW(calibrate_masked(budget), Infeasible);
}

TEST(Calibration, ldp_noise) {
  LdpBudget budget;
  budget.n = 1000;
  budget.reading = {Scope::message, Unit::record, Composition::advanced, MuKind::paper,
                    Theorem3Kind::printed};
  const double mu = mu_of_gradient(MuKind::paper);
  EXPECT_NEAR(gaussian_sigma(budget), mu / std::sqrt(s_bound(1, 1e-3)), 1e-9);
  budget.gaussian = GaussianKind::tight;
  const double tight = gaussian_sigma(budget);
  EXPECT_NEAR(tight, mu / gaussian_m(1, 1e-3), 1e-9);
  budget.reading.unit = Unit::vector;
  EXPECT_NEAR(gaussian_sigma(budget), tight * std::sqrt(1000), 1e-6);
  budget.reading.unit = Unit::record;
  budget.reading.scope = Scope::tree;
  budget.shape = {60, 6, 120};
  budget.reading.composition = Composition::gdp;
  EXPECT_NEAR(gaussian_sigma(budget), tight * std::sqrt(60), 1e-6);
}

TEST(Calibration, label_response) {
  for (const auto& e : reference()["rr"]) {
    expect_close(label_rr(e["eps"]).flip, e["flip"], e);
    expect_close(label_rr(e["eps"]).debiased_variance, e["debiased_var"], e);
    // The variance of a Bernoulli(1 - flip) over (1 - 2 flip)^2.
    const double flip = label_rr(e["eps"]).flip;
    expect_close(flip * (1 - flip) / std::pow(1 - 2 * flip, 2), e["debiased_var"], e);
  }
}

TEST(Calibration, bucket_response) {
  for (const auto& e : reference()["bucket_rr"]) {
    const BucketResponse response = bucket_rr(e["eps"], e["q"]);
    expect_close(response.keep, e["keep"], e);
    EXPECT_NEAR(response.keep + (int(e["q"]) - 1) * response.other, 1, 1e-12);
    EXPECT_NEAR(std::log(response.keep / response.other), double(e["eps"]), 1e-12);
  }
  EXPECT_NEAR(bucket_rr(1, 2).debiased_variance, label_rr(1).debiased_variance, 1e-12);
  EXPECT_THROW(bucket_rr(1, 1), InvalidBudget);
}

// An even share of eps may cost eps to the last bit or one bit more: both must give a budget.
TEST(Calibration, responses_of_any_number_of_features_find_their_budget) {
  const Reading reading = preset_reading(Preset::equal, Family::masked);
  for (int features = 1; features <= 64; ++features) {
    const std::vector<int> buckets(static_cast<size_t>(features), 32);
    for (const double eps : {0.01, 0.3, 0.5, 1.0, 2.0, 4.0, 8.0}) {
      const double each = spend_on_responses(reading, eps, 1e-5, buckets);
      const Mechanism response = Mechanism::response(each, 32);
      const std::vector<CountedMechanism> steps = {{&response, features}};
      EXPECT_LE(composed_cost(steps, reading, 1e-5), eps * (1 + 1e-12)) << features << " " << eps;
      EXPECT_GE(each, eps / features * (1 - 1e-12)) << features << " " << eps;
    }
  }
}

TEST(CalibrationReport, holds_what_the_command_prints) {
  CalibrationQuery query;
  query.budget = adult_budget(Preset::paper);
  query.n_active = 16000;
  const CalibrationReport report = make_calibration_report(query);
  const auto json = nlohmann::json::parse(to_json(report));
  for (const char* key : {"R", "s", "C_sigma2_sq", "kappa", "sigma1", "sigma2"}) {
    EXPECT_GT(json[key].get<double>(), 0) << key;
  }
  EXPECT_EQ(json["W"], 1);
  EXPECT_EQ(json["feasible"], true);
  EXPECT_GT(json["guarantees"].size(), 50u);
  bool infinite = false;
  for (const auto& row : json["guarantees"]) {
    if (!row["eps"].is_null()) continue;
    infinite = true;
    EXPECT_FALSE(row["reason"].get<std::string>().empty());
  }
  EXPECT_TRUE(infinite);
  const std::string table = to_table(report);
  for (const char* word : {"kappa", "C_sigma2_sq", "infinite", "training/record/pld"}) {
    EXPECT_NE(table.find(word), std::string::npos) << word;
  }
}

TEST(CalibrationReport, infeasible_is_reported_not_thrown) {
  CalibrationQuery query;
  query.budget = adult_budget(Preset::paper);
  query.budget.eps_pp = 0.5;
  const CalibrationReport report = make_calibration_report(query);
  EXPECT_FALSE(report.feasible);
  EXPECT_NE(report.reason.find("PP"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["feasible"], false);
}

TEST(Calibration, a_budget_of_PP_beyond_the_numbers_names_its_key) {
  MaskedBudget budget;
  budget.n = 400;
  for (const Preset preset : {Preset::paper, Preset::sound}) {
    budget.reading = preset_reading(preset, Family::masked);
    for (const double eps : {1e7, 1e30, 1e300}) {
      budget.eps_pp = eps;
      try {
        calibrate_masked(budget);
        FAIL() << eps;
      } catch (const InvalidBudget& error) {
        EXPECT_NE(std::string(error.what()).find("privacy.eps_pp"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace maskbench::privacy
