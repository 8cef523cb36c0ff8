#pragma once

#include <vector>

namespace maskbench::privacy {

// OpBoost's response: bucket i of q becomes j with probability proportional to exp(-eps |i - j|/2).
// eps may be infinite: every bucket stays. Two buckets at distance d differ by at most eps d.
class OrderResponse {
 public:
  OrderResponse(double eps, int buckets);

  double probability(int from, int to) const;
  // The bucket that a uniform number in [0, 1) leads to.
  int draw(int from, double uniform) const;
  // The largest log ratio of two buckets' probabilities of one response: plain eps, exactly.
  double worst() const;

 private:
  int buckets_;
  std::vector<double> chances_;  // [from][to]
  std::vector<double> up_to_;    // [from][to]: of at most `to`
};

// The largest eps a step whose worst pair is told apart by at most `eps`.
double order_step(double eps, int buckets);

}  // namespace maskbench::privacy
