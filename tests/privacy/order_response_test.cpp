#include "harness/privacy/order_response.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace maskbench::privacy {
namespace {

TEST(OrderResponse, worst_pair_by_trying_all_and_within_eps_times_the_distance) {
  for (const int q : {2, 3, 9, 33}) {
    for (const double eps : {0.01, 0.3, 2.0}) {
      const OrderResponse response(eps, q);
      double worst = 0;
      for (int a = 0; a < q; ++a) {
        double sum = 0;
        for (int to = 0; to < q; ++to) sum += response.probability(a, to);
        EXPECT_NEAR(sum, 1, 1e-12);
        for (int b = 0; b < q; ++b) {
          for (int to = 0; to < q; ++to) {
            const double ratio =
                std::log(response.probability(a, to) / response.probability(b, to));
            EXPECT_LE(ratio, eps * std::abs(a - b) + 1e-12) << a << ' ' << b;
            worst = std::max(worst, ratio);
          }
        }
      }
      EXPECT_NEAR(response.worst(), worst, 1e-12);
      EXPECT_LE(worst, eps * (q - 1) + 1e-12);
    }
  }
}

TEST(OrderResponse, step_solves_for_the_worst_pair_from_below) {
  for (const int q : {2, 5, 33, 256}) {
    for (const double eps : {0.05, 1.0, 8.0}) {
      const double worst = OrderResponse(order_step(eps, q), q).worst();
      EXPECT_LE(worst, eps);
      EXPECT_GT(worst, 0.999 * eps);
    }
  }
}

TEST(OrderResponse, draws_follow_the_probabilities) {
  const OrderResponse response(1.0, 5);
  std::vector<int> counts(5);
  const int n = 100000;
  for (int k = 0; k < n; ++k) ++counts[static_cast<size_t>(response.draw(1, (k + 0.5) / n))];
  for (int to = 0; to < 5; ++to)
    EXPECT_NEAR(counts[static_cast<size_t>(to)], n * response.probability(1, to), 1.5);
  EXPECT_EQ(OrderResponse(INFINITY, 5).draw(3, 0.999999), 3);
  EXPECT_EQ(OrderResponse(0.0, 5).draw(3, 0.999999), 4);
}

}  // namespace
}  // namespace maskbench::privacy
