#pragma once

#include <cstdint>
#include <string>

#include "harness/privacy/contour.hpp"
#include "harness/privacy/readings.hpp"
#include "harness/privacy/theorem3.hpp"

namespace maskbench::privacy {

// The loss of `count` messages of W columns with n active rows, all in one direction.
void add_theorem3_loss(QuadraticLoss& loss, int64_t n, double R, int W, Direction direction,
                       double count);

// delta of all W columns (and K messages) in one direction, exact.
double theorem3_delta_one_sided(int64_t n, double R, double eps, int W, Direction direction,
                                int64_t K = 1);
// The larger of both directions: what (eps, delta) means for one message.
double theorem3_delta_tight(int64_t n, double R, double eps, int W);

// delta as the run reads theorem 3.
double theorem3_delta(Theorem3Kind kind, int64_t n, double R, double eps, int W);
// Smallest eps for a delta; for `printed` at least W ln 2.
double theorem3_epsilon(Theorem3Kind kind, int64_t n, double R, double delta, int W);

// Below this the two neighbours differ by less than the arithmetic resolves.
inline constexpr double kSmallestRatio = 1e-9;

// Largest R = sigma1^2/sigma2^2 for (eps, delta); 0 where none will do.
double R_max_printed(int64_t n, double eps, double delta, int W,
                     PrintedConstant constant = PrintedConstant::two_ln2);
double R_max_exactdet(int64_t n, double eps, double delta, int W);
double R_max_tight(int64_t n, double eps, double delta, int W);
// K messages of W columns, exact for messages that all change in one direction, whichever is worse.
double R_max_composed(int64_t n, double eps, double delta, int W, int64_t K);
// K messages of W columns, by Renyi divergences.
double R_max_rdp(int64_t n, double eps, double delta, int W, int64_t K);

// R as the run reads theorem 3 for one message; throws Infeasible naming PP, the largest feasible W
// and the smallest feasible eps.
double solve_ratio(Theorem3Kind kind, int64_t n, double eps, double delta, int W);

}  // namespace maskbench::privacy
