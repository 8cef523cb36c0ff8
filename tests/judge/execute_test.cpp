#include "harness/judge/execute.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/trees/model_io.hpp"
#include "kernels/backend.hpp"
#include "tests/support/metric_name.hpp"
#include "tests/support/scratch_dir.hpp"

namespace maskbench {
namespace {

RunSpec small_spec(const std::string& method) {
  RunSpec spec;
  spec.method = method;
  spec.data.source = Source::synthetic;
  spec.data.rows = 600;
  spec.train.rounds = 3;
  spec.train.max_depth = 3;
  spec.train.max_bins = 8;
  spec.paillier.key_bits = 1024;
  spec.paillier.max_trees = 1;
  return spec;
}

// Time and memory aside, everything a run reports.
std::map<std::string, double> results(const RunSpec& spec, int threads) {
  ExecuteContext context;
  context.threads = threads;
  std::map<std::string, double> out;
  for (const Metric& metric : execute(spec, context).metrics) {
    const bool measured =
        metric.name.find("seconds") != std::string::npos || metric.name == "peak_rss";
    if (!measured) out[full_name(metric) + "@" + std::to_string(metric.round)] = metric.value;
  }
  return out;
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, reports_the_same_for_any_thread_count) {
  const auto one = results(small_spec(GetParam()), 1);
  const auto three = results(small_spec(GetParam()), 3);
  ASSERT_EQ(one.size(), three.size());
  for (const auto& [name, value] : one) {
    const double other = three.at(name);
    EXPECT_TRUE(value == other || (std::isnan(value) && std::isnan(other))) << name;
  }
  EXPECT_TRUE(one.contains("test_auc@0"));
  EXPECT_TRUE(one.contains("wire_bytes@-1"));
  EXPECT_TRUE(one.contains("eps AP stated@-1"));
}

// 2000 rows, so that an AUC of the 400 test rows is good to 0.03.
RunSpec learnable_spec(const std::string& method) {
  RunSpec spec = small_spec(method);
  spec.data.rows = 2000;
  spec.paillier.max_trees = 0;
  spec.privacy.eps_ap = spec.privacy.eps_pp = 1000;
  // A response flips too rarely to be drawn beyond these.
  if (method == "federboost" || method == "opboost" || method == "late-fusion" ||
      method.ends_with("-rr")) {
    spec.privacy.eps_ap = 25;
    spec.privacy.eps_pp = 60;
  }
  spec.privacy.ratio = 1;  // masked has no grid for what eps_pp = 1000 would allow
  spec.label_rr.split_lambda = spec.train.lambda;
  return spec;
}

TEST_P(EveryMethod, learns_with_a_budget_that_is_hardly_one) {
  const double auc = results(learnable_spec(GetParam()), 1).at("test_auc@-1");
  const double clear = results(learnable_spec("nonprivate"), 1).at("test_auc@-1");
  EXPECT_GT(clear, 0.74);
  EXPECT_GT(auc, GetParam() == "local" ? 0.68 : clear - 0.03) << clear;
}

// Everything that is measured on the model. fedxgb-ldp counts rows instead of hessians; local and
// random-split search less; late-fusion's two models never search together.
TEST_P(EveryMethod, without_noise_has_the_numbers_of_nonprivate) {
  if (GetParam() == "late-fusion")
    return;  // tests/baselines/late_fusion_test.cpp: AP's part is local's
  if (GetParam() == "local" || GetParam() == "random-split") {
    const double less = results(learnable_spec(GetParam()), 1).at("train_auc@-1");
    EXPECT_LT(less, results(learnable_spec("nonprivate"), 1).at("train_auc@-1"));
    return;
  }
  RunSpec spec = learnable_spec(GetParam());
  spec.privacy.zero_noise = true;
  RunSpec clear = spec;
  clear.method = "nonprivate";
  clear.train.gbdt = GetParam() == "fedxgb-ldp";
  const auto mine = results(spec, 1), theirs = results(clear, 1);
  for (const char* name : {"test_auc@0", "test_auc@2", "test_auc@-1", "test_logloss@-1",
                           "test_accuracy@-1", "train_auc@-1"})
    EXPECT_EQ(mine.at(name), theirs.at(name)) << name;
}

std::vector<std::string> method_ids() {
  return ids(methods());
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryMethod, testing::ValuesIn(method_ids()),
                         [](const auto& entry) {
                           std::string name = entry.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(Execute, says_where_data_and_noise_came_from) {
  ExecuteContext context;
  const RunResult clear = execute(small_spec("nonprivate"), context);
  EXPECT_EQ(clear.provenance.source, "synthetic");
  EXPECT_EQ(clear.provenance.sha256.size(), 64u);
  EXPECT_EQ(clear.provenance.noise_source, "none");
  EXPECT_EQ(execute(small_spec("xgb-ldp"), context).provenance.noise_source, "seed");
  RunSpec os = small_spec("xgb-ldp");
  os.privacy.noise_key = NoiseKey::os;
  EXPECT_EQ(execute(os, context).provenance.noise_source,
            "os: philox with a 64-bit key, not cryptographic");
  if (!aes_missing().empty()) return;
  os.noise.generator = Generator::aes;
  EXPECT_EQ(execute(os, context).provenance.noise_source, "os: aes with a 128-bit key");
  os.privacy.noise_key = NoiseKey::seed;
  EXPECT_EQ(execute(os, context).provenance.noise_source, "seed: aes");
}

TEST(Execute, a_plan_for_new_data_is_not_served_the_kept_old_data) {
  ScratchDir dir;
  ExecuteContext context;
  context.data_dir = dir.path();
  RunSpec spec = small_spec("nonprivate");
  spec.data.source = Source::file;
  spec.data.rows = 0;
  std::string table = "label,x,y\n";
  for (int i = 0; i < 50; ++i) {
    table += std::to_string(i % 2) + "," + std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  }
  for (const std::string& text : {table, table + "1,50,3\n"}) {
    dir.write("adult.csv", text);
    spec.data.content = "file " + sha256_of_text(text);
    EXPECT_EQ(execute(spec, context).provenance.sha256, sha256_of_text(text));
  }
}

TEST(Execute, noise_from_the_system_is_another_every_time) {
  RunSpec spec = small_spec("xgb-ldp");
  EXPECT_EQ(results(spec, 1), results(spec, 1));
  spec.privacy.noise_key = NoiseKey::os;
  EXPECT_NE(results(spec, 1), results(spec, 1));
}

TEST(Execute, no_fallback_from_cuda) {
  RunSpec spec = small_spec("random-split");  // its splits are drawn, not computed on a device
  spec.backend = BackendChoice::cuda;
  EXPECT_THROW(execute(spec, {}), Error);
  if (kernels::cuda_missing().empty()) return;
  spec.method = "nonprivate";
  EXPECT_THROW(execute(spec, {}), kernels::KernelError);
}

TEST(Execute, stops_between_trees) {
  std::atomic<bool> stop = false;
  ExecuteContext context;
  context.stop = &stop;
  context.on_tree = [&](int done, int) { stop = done == 2; };
  EXPECT_THROW(execute(small_spec("nonprivate"), context), Interrupted);
}

TEST(Execute, saves_a_model_of_both_parties) {
  ExecuteContext context;
  context.model_dir = testing::TempDir() + "maskbench_execute_model";
  execute(small_spec("masked"), context);
  const Model model = load_model(context.model_dir);
  EXPECT_EQ(model.trees.size(), 3u);
  EXPECT_EQ(model.ap_features.size() + model.pp_features.size(), 14u);
  std::filesystem::remove_all(context.model_dir);
}

}  // namespace
}  // namespace maskbench
