#include "harness/privacy/pld.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/privacy/composition.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/rdp.hpp"
#include "harness/privacy/theorem3.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {
namespace {

Pld compose_one(const LossProfile& profile, double count, double tail = 1e-13) {
  const CountedProfile parts[] = {{profile, count}};
  return compose(parts, tail);
}

TEST(Pld, gaussian_composition_is_the_exact_one) {
  for (const double m : {0.01, 0.3, 1.0}) {
    for (const int K : {1, 60, 2000}) {
      const Pld pld = compose_one(gaussian_profile(m), K);
      for (const double delta : {1e-3, 1e-6}) {
        const double exact = gaussian_epsilon(gdp_composition(m, K), delta);
        const double eps = pld.epsilon(delta);
        EXPECT_GE(eps, exact * (1 - 1e-9) - 1e-9) << m << " " << K;  // an upper bound
        EXPECT_NEAR(eps, exact, 2e-3 * exact + 1e-6) << m << " " << K << " " << delta;
        EXPECT_NEAR(pld.delta(eps), delta, 1e-6 * delta + 1e-12);
      }
    }
  }
}

TEST(Pld, mass_adds_up_to_one) {
  for (const auto& profile : {gaussian_profile(0.5), bucket_response_profile(1, 8),
                              theorem3_profile(1000, 0.3, 2, Direction::reverse)}) {
    const Pld pld = compose_one(profile, 30);
    double sum = pld.infinite;
    for (const double mass : pld.mass) sum += mass;
    EXPECT_NEAR(sum, 1, 1e-10);
  }
}

// K responses: the loss is eps0 times (kept - flipped), binomial. Exact by hand.
TEST(Pld, randomised_response_is_binomial) {
  constexpr int K = 20;
  const double eps0 = 0.3, keep = std::exp(eps0) / (1 + std::exp(eps0));
  const Pld pld = compose_one(pure_profile(eps0), K);
  for (const double eps : {0.2, 1.0, 2.5}) {
    double exact = 0;
    for (int kept = 0; kept <= K; ++kept) {
      const double loss = eps0 * (2 * kept - K);
      const double log_mass = std::lgamma(K + 1) - std::lgamma(kept + 1) -
                              std::lgamma(K - kept + 1) + kept * std::log(keep) +
                              (K - kept) * std::log1p(-keep);
      if (loss > eps) exact += std::exp(log_mass) * -std::expm1(eps - loss);
    }
    EXPECT_NEAR(pld.delta(eps), exact, 2e-3 * exact) << eps;
    EXPECT_GE(pld.delta(eps), exact * (1 - 1e-9));
  }
}

// Two routes to the same number: FFT of the discretised loss, contour integral of its transform.
TEST(Pld, theorem3_agrees_with_the_contour_integral) {
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    for (const int64_t n : {1, 2, 32651}) {
      for (const int K : {1, 60, 78120}) {
        const Pld pld = compose_one(theorem3_profile(n, 0.0324, 1, direction), K, 1e-12);
        const double eps = pld.epsilon(3e-5);
        const double exact = theorem3_delta_one_sided(n, 0.0324, eps, 1, direction, K);
        EXPECT_LE(exact, 3e-5 * (1 + 1e-6)) << n << " " << K;  // an upper bound
        EXPECT_GE(theorem3_delta_one_sided(n, 0.0324, eps * 0.998, 1, direction, K), 3e-5)
            << n << " " << K;  // within two per mille of the truth
      }
    }
  }
}

// A delta of which no part is left as a number must end, and in no less than the truth.
TEST(Pld, a_delta_next_to_nothing_ends) {
  const CountedProfile parts[] = {{bucket_response_profile(0.5, 8), 7}};
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_GE(composed_epsilon(parts, smallest), 3.5);
  EXPECT_GE(composed_epsilon(parts, 1e-320), 3.5);
  EXPECT_TRUE(std::isfinite(composed_epsilon(parts, 1e-290)));
}

TEST(Pld, composed_epsilon_takes_the_worst_direction) {
  const CountedProfile parts[] = {{theorem3_profile(32651, 0.0324, 1, Direction::forward), 60}};
  const double eps = composed_epsilon(parts, 3e-5);
  EXPECT_NEAR(theorem3_delta_one_sided(32651, 0.0324, eps, 1, Direction::reverse, 60), 3e-5, 1e-6);
  const double renyi =
      rdp_epsilon([&](double alpha) { return 60 * theorem3_renyi(32651, 0.0324, alpha, 1); }, 3e-5);
  EXPECT_LT(eps, renyi);
  EXPECT_GT(eps, 0.8 * renyi);
}

TEST(Pld, columns_and_messages_compose_alike) {
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    const double columns = compose_one(theorem3_profile(500, 0.2, 3, direction), 1).epsilon(1e-5);
    const double messages = compose_one(theorem3_profile(500, 0.2, 1, direction), 3).epsilon(1e-5);
    EXPECT_NEAR(columns, messages, 1e-3 * columns);
  }
}

TEST(Pld, mixtures_cost_more_than_their_parts) {
  const CountedProfile mixed[] = {{gaussian_profile(0.2), 50}, {pure_profile(0.5), 3}};
  const double eps = compose(mixed, 1e-13).epsilon(1e-5);
  EXPECT_GT(eps, compose_one(gaussian_profile(0.2), 50).epsilon(1e-5));
  EXPECT_LT(eps, compose_one(gaussian_profile(0.2), 50).epsilon(1e-5) + 1.5);
}

TEST(Pld, mass_at_infinity_makes_eps_infinite) {
  Pld pld = compose_one(gaussian_profile(0.2), 5);
  pld.infinite = 1e-3;
  EXPECT_TRUE(std::isinf(pld.epsilon(1e-3)));
  EXPECT_FALSE(std::isinf(pld.epsilon(2e-3)));
}

std::string run(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  return pclose(pipe) == 0 ? output : std::string();
}

TEST(Pld, agrees_with_dp_accounting) {
  const char* chosen = std::getenv("MASKBENCH_PYTHON");
  const std::string python = chosen != nullptr ? chosen : "python3";
  if (run(python + " -c 'import dp_accounting; print(1)' 2>/dev/null").empty()) {
    GTEST_SKIP() << python << " cannot import dp_accounting (PyPI: dp-accounting); set "
                 << "MASKBENCH_PYTHON to a python that can";
  }
  const std::string script = MASKBENCH_TEST_DIR "/privacy/dp_accounting_peer.py";
  const auto peer = [&](const std::string& arguments) {
    const std::string text = run(python + " " + script + " " + arguments);
    EXPECT_FALSE(text.empty()) << script << " " << arguments;
    return text.empty() ? std::nan("") : std::stod(text);
  };
  EXPECT_NEAR(compose_one(gaussian_profile(0.1), 360).epsilon(1e-5) / peer("gaussian 0.1 360 1e-5"),
              1, 2e-3);
  EXPECT_NEAR(
      compose_one(gaussian_profile(0.6919), 1).epsilon(1e-3) / peer("gaussian 0.6919 1 1e-3"), 1,
      2e-3);
  EXPECT_NEAR(compose_one(bucket_response_profile(0.5, 8), 40).epsilon(1e-6) /
                  peer("response 0.5 8 40 1e-6"),
              1, 2e-3);
}

}  // namespace
}  // namespace maskbench::privacy
