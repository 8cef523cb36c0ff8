#pragma once

#include <cstdint>
#include <span>

#include "harness/base/reading.hpp"

// Noise from a budget by the accountant's own sum: what is really sent then costs the budget, not
// less.
namespace maskbench::privacy {

// Gaussian messages that come `count` times each, of which a neighbour moves `share` times m.
struct GaussianShare {
  double share = 1;
  double count = 1;
};
// The largest m with which all of them together cost at most eps at delta.
double spend_on_gaussians(const Reading& reading, double eps, double delta,
                          std::span<const GaussianShare> messages);

// The largest R with which K noise vectors of theorem 3 cost at most eps, whatever their n_A: the
// shortest cycle, of two active rows, leaks most.
double spend_on_vectors(const Reading& reading, double eps, double delta, int W, int64_t K);

// The eps of each response, one for each number of buckets, that together cost at most eps.
double spend_on_responses(const Reading& reading, double eps, double delta,
                          std::span<const int> buckets);

}  // namespace maskbench::privacy
