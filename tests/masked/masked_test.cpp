#include "harness/masked/masked.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "baselines/methods.hpp"
#include "harness/exchange/replay.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/privacy/errors.hpp"
#include "harness/trees/metrics.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

RunSpec masked_spec(Mode mode) {
  RunSpec spec;
  spec.method = "masked";
  spec.mode = mode;
  spec.train.rounds = 3;
  spec.train.max_depth = 4;
  spec.privacy.eps_ap = 8;
  return spec;
}

std::string trees(const RunSpec& spec, const toy::Parties& p, int threads = 1) {
  return toy::fingerprint(toy::train(masked_method(), spec, p, threads).model);
}

TEST(Masked, without_noise_grows_the_trees_of_nonprivate_in_every_mode_and_variant) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  for (Mode mode : {Mode::materialised, Mode::fused, Mode::collapsed}) {
    for (Orient orient : {Orient::left, Orient::smaller}) {
      for (bool gbdt : {false, true}) {
        for (Objective objective : {Objective::classification, Objective::regression}) {
          RunSpec spec = masked_spec(mode);
          spec.masked.orient = orient;
          spec.train.gbdt = gbdt;
          spec.train.objective = objective;
          spec.privacy.zero_noise = true;
          const std::string clear =
              toy::fingerprint(toy::train(nonprivate_method(), spec, p, 1).model);
          EXPECT_EQ(trees(spec, p), clear) << name_of(mode) << ' ' << name_of(orient) << ' ' << gbdt
                                           << ' ' << name_of(objective);
        }
      }
    }
  }
}

TEST(Masked, materialised_and_fused_grow_the_same_trees_for_any_block_size_and_thread_count) {
  const toy::Parties p = toy::parties(3000, 6, 2, 16);
  for (int W : {1, 3}) {
    for (bool gbdt : {false, true}) {
      RunSpec spec = masked_spec(Mode::fused);
      spec.privacy.W = W;
      spec.privacy.eps_pp = 4;
      spec.train.gbdt = gbdt;
      const std::string fused = trees(spec, p);
      EXPECT_EQ(trees(spec, p, 3), fused);
      spec.mode = Mode::materialised;
      EXPECT_EQ(trees(spec, p), fused);
      spec.masked.memory_limit = 3000 * (4 * W + 8) * 2;  // two candidates a block
      EXPECT_EQ(trees(spec, p, 2), fused);
    }
  }
}

TEST(Masked, the_noise_follows_the_key_and_the_budget) {
  const toy::Parties p = toy::parties(3000, 6, 2, 16);
  RunSpec spec = masked_spec(Mode::fused);
  const std::string once = trees(spec, p);
  spec.seed = 2;
  EXPECT_NE(trees(spec, p), once);
  spec.seed = 1;
  spec.privacy.eps_ap = 1;
  EXPECT_NE(trees(spec, p), once);
}

// 10 seeds a mode: the 95 % intervals of the mean AUC overlap.
TEST(Masked, collapsed_has_the_auc_of_fused) {
  const toy::Parties p = toy::parties(4000, 6, 3, 16);
  double mean[2] = {0, 0}, error[2] = {0, 0};
  for (int m : {0, 1}) {
    double sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      RunSpec spec = masked_spec(m == 0 ? Mode::fused : Mode::collapsed);
      spec.seed = seed;
      spec.privacy.eps_ap = 2;
      const double a = auc(toy::train(masked_method(), spec, p, 1).margins, p.data.labels);
      sum += a;
      squares += a * a;
    }
    mean[m] = sum / 10;
    error[m] = std::sqrt((squares / 10 - mean[m] * mean[m]) / 9);
  }
  EXPECT_LT(std::abs(mean[0] - mean[1]), 2.26 * (error[0] + error[1]));
  EXPECT_GT(mean[0], 0.6);
}

TEST(Masked, counts_the_same_bytes_in_every_mode) {
  const toy::Parties p = toy::parties(1000, 6, 4, 16);
  RunSpec spec = masked_spec(Mode::materialised);
  spec.train.rounds = 1;
  spec.train.max_depth = 1;  // the modes draw other noise, so later levels differ
  const auto tape_of = [&](Mode mode) {
    spec.mode = mode;
    Records records;
    toy::train(masked_method(), spec, p, 1, records);
    return std::move(records.tape);
  };
  const Tape materialised = tape_of(Mode::materialised), fused = tape_of(Mode::fused),
             collapsed = tape_of(Mode::collapsed);
  EXPECT_EQ(materialised.total_bytes(), fused.total_bytes());
  EXPECT_EQ(materialised.bytes(Party::pp, Kind::noise), collapsed.bytes(Party::pp, Kind::noise));
  const size_t l = candidates_of(p.pp.cuts).size();
  EXPECT_GE(materialised.bytes(Party::pp, Kind::noise), l * 1000 * 4);
  EXPECT_GE(materialised.bytes(Party::ap, Kind::masked), 2 * l * 1000 * 4);
}

TEST(Masked, sends_no_candidate_that_splits_nothing) {
  toy::Parties p = toy::parties(400, 4, 5, 8);
  RunSpec spec = masked_spec(Mode::materialised);
  Records records;
  records.tape.record([](Party, Kind kind, const Tag&) { return kind == Kind::noise; });
  const TrainResult result = toy::train(masked_method(), spec, p, 1, records);
  std::map<std::pair<int, int>, std::vector<size_t>> rows;  // of each level's nodes
  ThreadPool pool(1);
  Replay replay(result.model, p.ap, p.pp, pool);
  for (int tree = 0; tree < spec.train.rounds; ++tree)
    replay.tree(tree, spec.train.max_depth, [&](const Level& level) {
      for (const LevelNode& node : level.nodes)
        rows[{level.tree, level.depth}].push_back(node.rows.size());
    });
  size_t seen = 0;
  for (const Message& message : records.tape.recorded()) {
    const auto* headers = dynamic_cast<const HostValues<CandidateHeader>*>(message.payload.get());
    if (headers == nullptr) continue;
    for (const CandidateHeader& header : headers->values) {
      EXPECT_GT(header.active, 0u);
      EXPECT_LT(header.active, rows.at({message.tag.tree, message.tag.depth}).at(header.place));
      ++seen;
    }
  }
  EXPECT_GT(seen, 10u);
}

TEST(Masked, says_how_far_its_choices_are_from_the_truth) {
  const toy::Parties p = toy::parties(4000, 6, 3, 16);
  const auto share = [&](bool zero_noise, double eps) {
    RunSpec spec = masked_spec(Mode::collapsed);
    spec.privacy.zero_noise = zero_noise;
    spec.privacy.eps_ap = eps;
    ThreadPool pool(1);
    Records records;
    records.of(Party::pp).keep([](Notebook::Topic, const Tag&) { return true; });
    const TrainResult result = toy::train(masked_method(), spec, p, 1, records);
    for (const Metric& metric :
         masked_method().probe({spec, p.ap, p.data.labels, p.pp, result.model,
                                records.of(Party::pp), spec.seed, pool})) {
      if (metric.name == "true_argmax_share") return metric.value;
    }
    return -1.0;
  };
  EXPECT_EQ(share(true, 1), 1.0);
  const double noisy = share(false, 0.1);
  EXPECT_GE(noisy, 0.0);
  EXPECT_LT(noisy, 0.5);
}

TEST(Masked, a_budget_no_parameters_can_meet_is_refused) {
  const toy::Parties p = toy::parties(500, 4, 5, 8);
  RunSpec spec = masked_spec(Mode::collapsed);
  spec.privacy.W = 3;  // eps_PP = 1 <= 3 ln 2
  EXPECT_THROW(toy::train(masked_method(), spec, p, 1), privacy::Infeasible);
}

TEST(Masked, a_memory_limit_below_one_candidate_is_refused) {
  const toy::Parties p = toy::parties(500, 4, 5, 8);
  RunSpec spec = masked_spec(Mode::materialised);
  spec.masked.memory_limit = 1000;
  EXPECT_THROW(toy::train(masked_method(), spec, p, 1), kernels::KernelError);
}

}  // namespace
}  // namespace maskbench
