#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"

namespace maskbench {

namespace {

// A table of the paper counts 8 bytes a value.
double paper_bucket_bytes(const RunSpec&, const NodeShape& node) {
  return 8 * node.rows * node.features;
}

}  // namespace

const Method& federboost_method() {
  static const Method method = {
      .id = "federboost",
      .what = "PP's buckets by randomised response, once before training",
      .active = active_side<BucketsActive>,
      .passive = passive_side<BucketsPassive>,
      .uses = {"privacy.eps_pp", "privacy.delta_pp", "privacy.reading", "privacy.scope",
               "privacy.composition", "privacy.zero_noise", "privacy.noise_key", "noise.",
               "federboost."},
      .check_budget = check_bucket_budget,
      .evidence = {Evidence::buckets},
      .own_bytes = bucket_bytes,
      .paper_bytes = paper_bucket_bytes,
  };
  return method;
}

}  // namespace maskbench
