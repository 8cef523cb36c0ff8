#pragma once

#include <string>
#include <vector>

#include "harness/privacy/accountant.hpp"
#include "harness/privacy/calibration.hpp"

namespace maskbench::privacy {

// What `maskbench calibrate` asks: the budget and one candidate's sizes.
struct CalibrationQuery {
  MaskedBudget budget;       // ap.messages and pp.messages are filled in from `candidates`
  int64_t n_active = 0;      // 0: half of n
  int64_t candidates = 217;  // of PP, a node: 7 features with 31 cuts each
  bool with_hessian = true;
};

struct CalibrationReport {
  bool feasible = true;
  std::string reason;  // whose budget cannot be met, and the nearest that can
  double eps_ap = 0, delta_ap = 0, eps_pp = 0, delta_pp = 0;
  int64_t n = 0, n_active = 0;
  int W = 1;
  Reading reading;
  double mu = 0;
  double R = 0;            // sigma1^2/sigma2^2
  double s = 0;            // q one message may have
  double C_sigma2_sq = 0;  // of the candidate
  double C = 0, sigma1 = 0, sigma2 = 0;
  double kappa = 0;      // sd of the noise on a split's sum m'<g>
  double ldp_kappa = 0;  // sd of that sum under i.i.d. noise of the same q
  std::vector<Cost> guarantees;
};

// Never throws Infeasible: it reports it.
CalibrationReport make_calibration_report(const CalibrationQuery& query);

std::string to_table(const CalibrationReport& report);
std::string to_json(const CalibrationReport& report);  // an infinite eps is null, with its reason

}  // namespace maskbench::privacy
