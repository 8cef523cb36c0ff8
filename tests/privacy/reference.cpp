#include "tests/privacy/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>

namespace maskbench::privacy {

const nlohmann::json& reference() {
  static const nlohmann::json all = [] {
    std::ifstream file(MASKBENCH_TEST_DIR "/reference.json");
    return nlohmann::json::parse(file);
  }();
  return all;
}

void expect_close(double actual, double expected, const nlohmann::json& entry, double relative,
                  double absolute) {
  EXPECT_LE(std::abs(actual - expected), relative * std::abs(expected) + absolute)
      << "actual " << actual << ", expected " << expected << " in " << entry.dump();
}

// Every key and who reads it: a new key fails here until a test consumes it.
TEST(Reference, every_key_is_consumed_by_a_test) {
  const std::set<std::string> consumed = {
      "worked_example",          // Theorem2.worked_example
      "active_noise",            // Theorem2.active_noise_is_cyclic
      "cov_active_eigenvalues",  // Theorem2.covariance_eigenvalues
      "abc_k_det",               // Theorem3.abc_k_and_determinant
      "det_ratio_small",         // Theorem3.small_active_sets
      "thm3",                    // Theorem3.printed_delta
      "thm3_tails",              // Theorem3.tails_of_both_directions
      "pp_delta_tight_W1",       // Theorem3.tight_delta
      "pp_rdp",                  // Theorem3.renyi
      "R_max",                   // Theorem3.largest_ratio
      "R_max_rdp",               // Theorem3.largest_ratio_of_many_messages
      "thm3_violation",          // Theorem3.printed_statement_is_false_above_2_53
      "s_bound",                 // Gaussian.s_bound_and_tight_m
      "gauss_delta",             // Gaussian.analytic_delta
      "quad_forms",              // Theorem2.quadratic_forms
      "Csigma2sq_required",      // Theorem2.required_scale
      "central_limit_of_mask",   // Theorem2.limit_of_the_mask
      "adv_comp",                // Composition.advanced
      "per_step",                // Composition.per_step_budget
      "thm1",                    // Theorem1.reference, Theorem1.simulation
      "thm1_counterexample",     // Theorem1.fixed_sign_exceeds_the_bound
      "split_score",             // Theorem1.split_score_deviation
      "rr",                      // Calibration.label_response
      "bucket_rr",               // Calibration.bucket_response
      "lambda_paper_mu",         // Readings.mu
  };
  for (const auto& [key, value] : reference().items()) {
    EXPECT_TRUE(consumed.count(key)) << "no test reads reference.json's key " << key;
  }
  for (const auto& key : consumed) EXPECT_TRUE(reference().contains(key)) << key;
}

}  // namespace maskbench::privacy
