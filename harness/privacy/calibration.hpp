#pragma once

#include <cstdint>
#include <string_view>

#include "harness/privacy/composition.hpp"
#include "harness/privacy/readings.hpp"
#include "harness/privacy/theorem2.hpp"

namespace maskbench::privacy {

// q = m^2 that one message may have when the budget (eps, delta) is read over K steps. basic and
// advanced hand each step an (eps0, delta0); gdp and pld share the exact Gaussian m over the steps.
double message_q(const Reading& reading, GaussianKind kind, double eps, double delta, int64_t K);

// A budget of the whole training is spent to the last by the accountant's own sum. Theorem 3 as
// printed has no sum of its own that could be met.
bool is_spent_on_all(const Reading& reading);

struct MaskedBudget {
  double eps_ap = 1, delta_ap = 1e-3;
  double eps_pp = 1, delta_pp = 0;  // delta_pp 0 stands for 1/n
  int64_t n = 0;                    // training rows
  int W = 1;
  Reading reading;
  Shape ap, pp;             // messages of each party that speak of one record
  double ratio = 0;         // R; 0: solved from PP's budget
  double mu = 0;            // largest change of g; 0: the reading's (regression: 2 gradient_clip)
  bool zero_noise = false;  // every noise off

  // How many messages speak of one record: a record lies in one node of each level.
  void set_shape(int64_t rounds, int64_t depth, int64_t candidates, bool with_hessian);
};

// Of a released g and h, how many cost something: h does unless no neighbour can move it.
int64_t charged_vectors(const Reading& reading, double mu, bool with_hessian);

// What both parties draw with. sigma2 = 1: only C sigma2^2 and R matter, C carries the scale.
struct MaskedCalibration {
  double R = 0, q = 0;
  double mu = 0, mu_hessian = 0;  // largest change of g, of h
  double sigma1 = 0, sigma2 = 0;
  int W = 1;
  double delta_pp = 0;
  int64_t ap_steps = 1, pp_steps = 1;
  StepBudget pp_step{0, 0};  // {0, 0}: R was fixed, or shared exactly over the steps
  bool zero_noise = false;
  ScaleSolver scale{Unit::record, 1, 1, 1};

  // The same with another R and q.
  MaskedCalibration at(double ratio, double form) const;
  double C(int64_t n_active, int64_t n_inactive) const;
  double kappa(int64_t n_active, int64_t n_inactive) const;  // sd of the noise on m'<g>
  // sqrt(q) that the message really has in either unit.
  double m(Unit unit, int64_t n_active, int64_t n_inactive) const;
};

// Throws Infeasible (naming the party and the nearest feasible budget) or InvalidBudget.
MaskedCalibration calibrate_masked(const MaskedBudget& budget);

struct LdpBudget {
  double eps = 1, delta = 1e-3;
  int64_t n = 0;  // rows of a message; matters for unit vector
  Reading reading;
  Shape shape;  // messages of g; h comes along
  GaussianKind gaussian = GaussianKind::printed;
  double mu = 0;              // 0: the reading's
  bool with_hessian = false;  // h is released beside g
  bool zero_noise = false;
};

// Standard deviation of the noise on every g (and h) of the LDP baselines: mu/sqrt(q), times
// sqrt(n) for unit vector.
double gaussian_sigma(const LdpBudget& budget);

struct LabelResponse {
  double flip;               // 1/(1 + e^eps)
  double debiased_variance;  // of (z - flip)/(1 - 2 flip): e^eps/(e^eps - 1)^2
};
LabelResponse label_rr(double eps);

struct BucketResponse {
  double keep, other;        // e^eps/(e^eps + q - 1); each of the q - 1 others
  double debiased_variance;  // of ([z = b] - other)/(keep - other) for a row not in bucket b
};
BucketResponse bucket_rr(double eps, int q);

struct ResponseOdds {
  double keep, other;
};
ResponseOdds response_odds(double eps, int q);  // the same without its variance, for any eps >= 0

}  // namespace maskbench::privacy
