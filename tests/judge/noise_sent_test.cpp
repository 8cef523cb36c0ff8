// Over 40 decades of the budget, every reading and many W: what crosses the wire has the noise that
// the calibration asks for, or the run is refused with the key and the nearest budget that works.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "attacks/view.hpp"
#include "baselines/noisy_buckets.hpp"
#include "harness/base/party_key.hpp"
#include "harness/config/reading.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/privacy/order_response.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/trees/passive_score.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

constexpr size_t kRows = 5000;  // noise scaled by .9 is over 6 deviations off

const toy::Parties& data() {
  static const toy::Parties parties = toy::parties(kRows, 4, 3, 8);
  return parties;
}

struct NoiseCase {
  std::string method;
  double eps = 1;
  std::string reading = "paper";
  int W = 1;
  Generator generator = Generator::philox;

  RunSpec spec() const {
    RunSpec out;
    out.method = method;
    out.mode = Mode::materialised;
    out.train.rounds = 1;
    out.train.max_depth = 1;
    out.attack.trees = out.attack.nodes = 1;
    out.privacy.eps_ap = eps;
    if (method != "masked") out.privacy.eps_pp = eps;
    out.privacy.W = W;
    if (method == "masked") out.privacy.ratio = 0.05;
    out.noise.generator = generator;
    out.privacy.reading = reading;
    resolve_reading(out, {"privacy.reading"});
    return out;
  }
  std::string text() const { return fmt::format("{} {} W {} eps {}", method, reading, W, eps); }
};

struct Sent {
  std::string refused;  // why, or nothing
  Records records;
};

void run(const RunSpec& spec, Sent& out) {
  out.records.tape.record([](Party, Kind, const Tag&) { return true; });
  try {
    toy::train(find_method(spec.method), spec, data(), 1, out.records);
  } catch (const std::runtime_error& error) {
    out.refused = error.what();
  }
}

const Message& message(const Sent& sent, Kind kind) {
  for (const Message& m : sent.records.tape.recorded())
    if (m.kind == kind) return m;
  throw std::logic_error("no such message");
}

Gradients clean_gradients(const RunSpec& spec) {
  ThreadPool pool(1);
  Gradients out;
  compute_gradients(spec.train, data().data.labels,
                    initial_margins(spec.train, data().data.labels, spec.seed), pool, out);
  return out;
}

// Of n normals the mean square has a relative error of sqrt(2/n); 6 of them.
void expect_mean_square(double measured, double asked, size_t n) {
  EXPECT_NEAR(measured / asked, 1, 6 * std::sqrt(2.0 / static_cast<double>(n)));
}

void expect_share(double hits, double n, double p) {
  EXPECT_NEAR(hits / n, p, 6 * std::sqrt(p * (1 - p) / n) + 1e-12);
}

void check_gradients(const RunSpec& spec, const Sent& sent) {
  const bool with_h = spec.method == "xgb-ldp";
  const double sigma = ldp_sigma(spec, kRows, with_h);
  const Gradients clean = clean_gradients(spec);
  const auto& rows = message(sent, Kind::gradients).as<GradientPair>();
  const double step =
      std::ldexp(1.0, static_cast<int>(message(sent, Kind::totals).as<int64_t>().front()));
  double g = 0, h = 0;
  for (size_t j = 0; j < kRows; ++j) {
    const double dg = rows[j].g * step - clean.grid.real(clean.rows[j].g);
    const double dh = rows[j].h * step - clean.grid.real(clean.rows[j].h);
    g += dg * dg / kRows;
    h += dh * dh / kRows;
  }
  expect_mean_square(g, sigma * sigma, kRows);
  if (with_h) expect_mean_square(h, sigma * sigma, kRows);
}

void check_labels(const RunSpec& spec, const Sent& sent) {
  const auto& z = message(sent, Kind::labels).as<uint8_t>();
  double flipped = 0;
  for (size_t j = 0; j < kRows; ++j) flipped += (data().data.labels[j] > 0.5f) != (z[j] != 0);
  expect_share(flipped, kRows, 1 / (1 + std::exp(spec.privacy.eps_ap)));
}

void check_buckets(const RunSpec& spec, const Sent& sent) {
  const auto& noisy = message(sent, Kind::buckets).as<uint8_t>();
  const auto& bins = data().pp.bins;
  const auto features = static_cast<size_t>(bins.features);
  const double eps = spec.privacy.eps_pp / static_cast<double>(features);
  for (size_t f = 0; f < features; ++f) {
    double kept = 0;
    for (size_t j = 0; j < kRows; ++j)
      kept += noisy[j * features + f] == bins.bins[j * features + f];
    const double others = data().pp.cuts[f].bins() - 1;
    expect_share(kept, kRows, 1 / (1 + others * std::exp(-eps)));
  }
}

void check_order(const RunSpec& spec, const Sent& sent) {
  const auto& noisy = message(sent, Kind::buckets).as<uint8_t>();
  const auto& bins = data().pp.bins;
  const auto features = static_cast<size_t>(bins.features);
  for (size_t f = 0; f < features; ++f) {
    const int buckets = data().pp.cuts[f].bins();
    const double step =
        privacy::order_step(spec.privacy.eps_pp / static_cast<double>(features), buckets);
    const privacy::OrderResponse response(step, buckets);
    double kept = 0, expected = 0;
    for (size_t j = 0; j < kRows; ++j) {
      const int from = bins.bins[j * features + f];
      kept += noisy[j * features + f] == from;
      expected += response.probability(from, from);
    }
    expect_share(kept, kRows, expected / kRows);
  }
}

// <g> - g = B c: its c has the norm that makes |c| sigma2 the root of C, and B has its own spread.
void check_masked(const RunSpec& spec, const Sent& sent) {
  ThreadPool pool(1);
  const AttackInput input{spec, data().pp, kRows, sent.records.tape.recorded(), {}, pool};
  const auto calibration = masked_calibration(spec, kRows, data().pp.candidates.size());
  const Gradients clean = clean_gradients(spec);
  const auto trees = tree_views(input);
  double squares = 0, effective = 0;
  const size_t seen = visit_masked(input, trees, [&](const MaskedCandidate& c) {
    const auto n = static_cast<Eigen::Index>(c.g.size());
    Eigen::MatrixXd b(n, c.W);
    Eigen::VectorXd noise(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto row = static_cast<size_t>(j);
      noise(j) =
          static_cast<double>(c.g[row]) * c.step - clean.grid.real(clean.rows[c.node->rows[row]].g);
      for (int w = 0; w < c.W; ++w) b(j, w) = c.b[static_cast<size_t>(w * n + j)];
    }
    const Eigen::VectorXd weights = (b.transpose() * b).ldlt().solve(b.transpose() * noise);
    const int64_t active = c.header.active;
    const double asked = std::sqrt(calibration.C(active, n - active));
    EXPECT_NEAR(weights.norm() * c.sigma2 / asked, 1, 0.02);
    // p goes round a cycle: neighbours share their normals.
    squares += b.squaredNorm() / (c.sigma2 * c.sigma2 * (2 * calibration.R + 1)) / 4;
    effective += static_cast<double>(b.size()) / 4;
  });
  EXPECT_GT(seen, 0u);
  expect_mean_square(squares / effective, 1, static_cast<size_t>(effective));
}

// Refusals name the key and a budget; that budget, a little inside, is not refused.
void check_refusal(const NoiseCase& c, const std::string& why) {
  const size_t key = why.find("privacy.eps_");
  EXPECT_NE(key, std::string::npos) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos);
  const size_t at = why.find(" here is ");
  ASSERT_NE(at, std::string::npos) << why;
  NoiseCase inside = c;
  const bool smallest = why.find("smallest") != std::string::npos;
  inside.eps = std::stod(why.substr(at + 9)) * (smallest ? 1.02 : 0.98);
  if (c.method == "bilateral-rr" && why.find("eps_ap") != std::string::npos) return;  // two keys
  Sent sent;
  run(inside.spec(), sent);
  EXPECT_EQ(sent.refused, "") << inside.text();
}

void check(const NoiseCase& c, int& refused) {
  SCOPED_TRACE(c.text());
  const RunSpec spec = c.spec();
  Sent sent;
  run(spec, sent);
  if (!sent.refused.empty()) {
    ++refused;
    return check_refusal(c, sent.refused);
  }
  if (c.method.ends_with("-ldp")) check_gradients(spec, sent);
  if (c.method == "label-rr") check_labels(spec, sent);  // bilateral-rr keeps them at home
  if (c.method == "federboost" || c.method == "bilateral-rr") check_buckets(spec, sent);
  if (c.method == "late-fusion") check_labels(spec, sent);
  if (c.method == "opboost") check_order(spec, sent);
  if (c.method == "masked") check_masked(spec, sent);
}

class NoiseSent : public testing::TestWithParam<std::string> {};

TEST_P(NoiseSent, is_what_was_asked_for_or_the_run_is_refused) {
  const bool reads = GetParam() == "masked" || GetParam().ends_with("-ldp");
  const std::vector<std::string> readings =
      reads ? std::vector<std::string>{"paper", "message", "equal", "sound"}
            : std::vector<std::string>{"paper"};
  int cases = 0, refused = 0;
  for (const auto& reading : readings) {
    for (int W = 1; W <= (GetParam() == "masked" ? 16 : 1); ++W) {
      for (int decade = W > 1 ? W % 8 - 20 : -20; decade <= 20; decade += W > 1 ? 8 : 1, ++cases)
        check({GetParam(), std::pow(10.0, decade), reading, W}, refused);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, cases);
}

TEST_P(NoiseSent, is_what_was_asked_for_by_aes_too) {
  if (const std::string why = aes_missing(); !why.empty()) GTEST_SKIP() << why;
  int refused = 0;
  for (const double eps : {0.5, 1.0, 4.0})
    check({GetParam(), eps, "paper", 1, Generator::aes}, refused);
  if (GetParam() == "masked") check({"masked", 1, "paper", 3, Generator::aes}, refused);
  EXPECT_EQ(refused, 0);
}

// late-fusion's levels, beside those of a run without noise: labels at eps 30 are the true ones.
TEST(LevelNoise, is_what_was_asked_for_or_the_run_is_refused) {
  RunSpec spec = NoiseCase{"late-fusion", 30}.spec();
  spec.late_fusion.trees = 3;
  spec.late_fusion.stack_eps = 1;
  spec.privacy.zero_noise = true;
  Sent clean;
  run(spec, clean);
  const auto levels = message(clean, Kind::buckets).as<uint8_t>();
  const double others = message(clean, Kind::totals).as<BucketHeader>().front().value_bins - 1;
  spec.privacy.zero_noise = false;
  int refused = 0;
  for (int decade = -20; decade <= 20; ++decade) {
    spec.late_fusion.stack_eps = std::pow(10.0, decade);
    SCOPED_TRACE(spec.late_fusion.stack_eps);
    Sent sent;
    run(spec, sent);
    if (!sent.refused.empty()) {
      ++refused;
      EXPECT_TRUE(sent.refused.starts_with("late_fusion.stack_eps ")) << sent.refused;
      continue;
    }
    const auto& noisy = message(sent, Kind::buckets).as<uint8_t>();
    double kept = 0;
    for (size_t j = 0; j < kRows; ++j) kept += noisy[j] == levels[j];
    expect_share(kept, kRows, 1 / (1 + others * std::exp(-spec.late_fusion.stack_eps)));
  }
  EXPECT_GT(refused, 20);
  EXPECT_LT(refused, 40);
}

// What PP's answers get when the model is used: Laplace noise on scores, responses for levels.
TEST(QueryNoise, is_what_was_asked_for_or_the_run_is_refused) {
  for (const bool stacked : {false, true}) {
    int refused = 0;
    for (int decade = -20; decade <= 20; ++decade) {
      RunSpec spec = NoiseCase{"late-fusion"}.spec();
      spec.late_fusion.stack_eps = stacked ? 1 : 0;
      const double eps = spec.late_fusion.eps_query = std::pow(10.0, decade);
      SCOPED_TRACE(eps);
      Sent sent;
      run(spec, sent);
      if (!sent.refused.empty()) {
        ++refused;
        EXPECT_TRUE(sent.refused.starts_with("late_fusion.eps_query ")) << sent.refused;
        continue;
      }
      PassiveScore model;
      model.eps_query = eps;
      model.bound = 3;
      if (stacked) model.cuts = {-1, 0, 1};
      std::vector<float> answers(20 * kRows, 0.5f);
      answer(model, PartyKey(7).derive("query"), answers);
      double kept = 0, squares = 0;
      for (const float x : answers) {
        kept += x == 2;  // the level of .5
        squares += (double{x} - 0.5) * (double{x} - 0.5) / static_cast<double>(answers.size());
      }
      const double n = static_cast<double>(answers.size()), scale = 2 * model.bound / eps;
      if (stacked)
        expect_share(kept, n, 1 / (1 + 3 * std::exp(-eps)));
      else  // a Laplace's square has five times its own square for variance
        EXPECT_NEAR(squares / (2 * scale * scale), 1, 6 * std::sqrt(5 / n));
    }
    EXPECT_GT(refused, 20);
    EXPECT_LT(refused, 40);
  }
}

// PP's budget decides how much of masked's noise cancels. One that is too small or too large is
// refused with its key, in one line of our own.
TEST(MaskedRatio, follows_eps_pp_over_all_decades_or_the_run_is_refused) {
  int refused = 0;
  for (int decade = -20; decade <= 300; decade += decade < 20 ? 2 : 40) {
    RunSpec spec = NoiseCase{"masked"}.spec();
    spec.privacy.ratio = 0;
    spec.privacy.eps_pp = std::pow(10.0, decade);
    Sent sent;
    run(spec, sent);
    if (sent.refused.empty()) continue;
    ++refused;
    EXPECT_NE(sent.refused.find("eps_pp"), std::string::npos) << sent.refused;
    EXPECT_EQ(sent.refused.find("Error in function"), std::string::npos) << sent.refused;
  }
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, 28);
}

TEST(MaskedRatio, that_no_arithmetic_carries_is_refused_with_its_key) {
  RunSpec spec = NoiseCase{"masked"}.spec();
  for (const double ratio : {1e-320, 1e-156, 1e-10, 1e12, 1e300}) {
    spec.privacy.ratio = ratio;
    Sent sent;
    run(spec, sent);
    EXPECT_NE(sent.refused.find("privacy.ratio"), std::string::npos) << ratio << sent.refused;
  }
  spec = NoiseCase{"masked"}.spec();
  spec.privacy.eps_ap = 1e-300;
  Sent sent;
  run(spec, sent);
  EXPECT_NE(sent.refused.find("privacy.eps_ap"), std::string::npos) << sent.refused;
}

INSTANTIATE_TEST_SUITE_P(Methods, NoiseSent,
                         testing::Values("masked", "xgb-ldp", "fedxgb-ldp", "federboost",
                                         "label-rr", "bilateral-rr", "late-fusion", "opboost"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace maskbench
