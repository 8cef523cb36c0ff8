#include "harness/config/config.hpp"

#include <gtest/gtest.h>

#include "harness/base/text.hpp"
#include "harness/config/expand.hpp"
#include "harness/judge/catalog.hpp"
#include "tests/support/fake.hpp"

namespace maskbench {
namespace {

using testing::TempDir;
using testing::what_of;

std::vector<Job> jobs_of(const std::string& yaml, const ConfigOptions& options = {}) {
  TempDir dir;
  return load_plan(dir.write("c.yaml", yaml), options).jobs;
}

// The message with the directory taken off.
std::string error_of(const std::string& yaml, const ConfigOptions& options = {}) {
  TempDir dir;
  const std::string path = dir.write("c.yaml", yaml);
  std::string message = what_of([&] { load_plan(path, options); });
  const std::string folder = path.substr(0, path.size() - 6);
  for (size_t at; (at = message.find(folder)) != std::string::npos;)
    message.erase(at, folder.size());
  return message;
}

TEST(Config, reads_every_section) {
  const auto jobs = jobs_of(R"(
name: fig-test
data: {dataset: bank, source: synthetic, ap_columns: [a, "b,c"]}
train: {rounds: 7, lambda: 2.5, gbdt: true}
method: masked
mode: fused
privacy: {eps_ap: 4, delta_pp: 1/n, W: 3}
masked.orient: smaller
attack: {name: label-nn, trees: 2}
repeats: 2
seed: 10
)");
  ASSERT_EQ(jobs.size(), 2u);
  const RunSpec& spec = jobs[1].spec;
  EXPECT_EQ(spec.name, "fig-test");
  EXPECT_EQ(spec.data.ap_columns, (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(spec.train.rounds, 7);
  EXPECT_TRUE(spec.train.gbdt);
  EXPECT_EQ(name_of(spec.mode), "fused");
  EXPECT_EQ(spec.privacy.W, 3);
  EXPECT_EQ(name_of(spec.masked.orient), "smaller");
  EXPECT_EQ(spec.attack.name, "label-nn");
  EXPECT_EQ(spec.attack.trees, 2);
  EXPECT_EQ(spec.seed, 11u);
  EXPECT_EQ(spec.repeat, 1);
}

// As many columns as the noise's counter can tell apart.
TEST(Config, W_may_be_256) {
  const auto jobs = jobs_of("method: masked\nprivacy: {W: 256}\n");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].spec.privacy.W, 256);
}

TEST(Config, errors_name_place_key_and_remedy) {
  EXPECT_EQ(error_of("train:\n  roundz: 3\n"),
            "c.yaml:2:3: unknown key 'train.roundz'; did you mean 'train.rounds'?");
  EXPECT_EQ(error_of("trian: {rounds: 3}\n"),
            "c.yaml:1:1: unknown key 'trian'; did you mean 'train'?");
  EXPECT_EQ(error_of("train: {rounds: many}\n"),
            "c.yaml:1:17: train.rounds must be a whole number from 1 to 100000, not 'many'");
  EXPECT_EQ(error_of("method: masked\nprivacy:\n  W: 257\n"),
            "c.yaml:3:6: privacy.W must be a whole number from 1 to 256, not '257'");
  EXPECT_EQ(error_of("method: maskd\n"), "c.yaml:1:9: method must be one of " +
                                             join(ids(methods()), ", ") +
                                             ", not 'maskd'; did you mean 'masked'?");
  EXPECT_EQ(error_of("train: {rounds: [1, 2]}\n"),
            "c.yaml:1:17: train.rounds takes one value: a whole number from 1 to 100000; a list of "
            "values to "
            "try belongs under 'axes'");
  EXPECT_EQ(error_of("train: 5\n"), "c.yaml:1:1: 'train' is a section: write train: {key: value}");
  EXPECT_EQ(error_of("train: {rounds: 1}\ntrain.rounds: 2\n"),
            "c.yaml:2:1: duplicate key 'train.rounds', first at c.yaml:1:9");
  EXPECT_EQ(error_of("seed: 1\nseed: 2\n"),
            "c.yaml:2:1: duplicate key 'seed', first at c.yaml:1:1");
  EXPECT_EQ(error_of("seed: [1\nmode: x\n"),
            "c.yaml:2:5: not YAML from here on; look at its brackets, quotes, colons and indents");
  EXPECT_EQ(error_of(""), "c.yaml: the config is empty");
  EXPECT_EQ(error_of("- a\n"), "c.yaml:1:1: expected keys such as 'method: masked'");
  EXPECT_EQ(error_of("name: a/b\n"),
            "c.yaml:1:7: name must consist of letters, digits, '-', '_' and '.'");
}

TEST(Config, errors_in_axes) {
  EXPECT_EQ(error_of("axes: {train.round: [1]}\n"),
            "c.yaml:1:8: axes: unknown key 'train.round'; did you mean 'train.rounds'?");
  EXPECT_EQ(error_of("axes: {train.rounds: []}\n"),
            "c.yaml:1:22: axes: train.rounds is an empty list");
  EXPECT_EQ(error_of("axes: {train.rounds: 5}\n"),
            "c.yaml:1:22: axes: train.rounds needs a list, e.g. [1, 2]");
  EXPECT_EQ(error_of("axes: {train.rounds: [5, 0]}\n"),
            "c.yaml:1:26: train.rounds must be a whole number from 1 to 100000, not '0'");
  EXPECT_EQ(error_of("axes: {repeats: [5]}\n"), "c.yaml:1:8: axes: repeats cannot be an axis");
}

TEST(Config, a_missing_file_is_one_line) {
  EXPECT_EQ(what_of([] { load_plan("no/such.yaml", {}); }),
            "cannot read no/such.yaml: no such file");
}

TEST(Config, axes_expand_in_written_order) {
  const auto jobs = jobs_of(R"(
method: masked
repeats: 2
axes:
  privacy.eps_ap: [1, 2]
  data.dataset: [bank, adult]
)");
  std::vector<std::string> seen;
  for (const auto& job : jobs) seen.push_back(job.group + " " + std::to_string(job.spec.repeat));
  EXPECT_EQ(seen, (std::vector<std::string>{"masked bank eps_ap=1 0", "masked bank eps_ap=1 1",
                                            "masked adult eps_ap=1 0", "masked adult eps_ap=1 1",
                                            "masked bank eps_ap=2 0", "masked bank eps_ap=2 1",
                                            "masked adult eps_ap=2 0", "masked adult eps_ap=2 1"}));
}

TEST(Config, variants_are_settings_that_go_together) {
  const char* yaml = R"(
method: masked
axes: {privacy.eps_ap: [1, 2]}
variants:
  - {}
  - {deviation.pp_sigma1: 0, deviation: {pp_sigma2: 0}}
  - {masked.orient: smaller}
small: {variants: [{privacy.W: 2}]}
)";
  const auto jobs = jobs_of(yaml);
  ASSERT_EQ(jobs.size(), 6u);
  EXPECT_FALSE(jobs[3].spec.deviation.any());
  EXPECT_EQ(jobs[4].spec.deviation.pp_sigma1, 0);
  EXPECT_EQ(jobs[4].spec.deviation.pp_sigma2, 0);
  EXPECT_EQ(name_of(jobs[5].spec.masked.orient), "smaller");
  EXPECT_EQ(jobs[5].spec.privacy.eps_ap, 2);
  EXPECT_EQ(jobs[5].group, "masked adult eps_ap=2 orient=smaller");
  EXPECT_EQ(jobs_of(yaml, {{"masked.orient=left"}, false}).size(), 4u);
  const auto small = jobs_of(yaml, {{}, true});
  ASSERT_EQ(small.size(), 2u);
  EXPECT_EQ(small[0].spec.privacy.W, 2);
  EXPECT_EQ(error_of("variants:\n  - {train.roundz: 1}\n"),
            "c.yaml:2:6: unknown key 'train.roundz'; did you mean 'train.rounds'?");
  EXPECT_EQ(error_of("variants:\n  - {repeats: 1}\n"),
            "c.yaml:2:6: variants: repeats is the same for all");
  EXPECT_EQ(
      error_of("variants:\n  - masked\n"),
      "c.yaml:2:5: variants: each is a mapping {key: value, ...}; {} is the config as it stands");
}

TEST(Config, a_method_has_one_run_for_keys_it_does_not_use) {
  const auto jobs = jobs_of(R"(
axes:
  method: [nonprivate, federboost, masked]
  privacy.eps_ap: [1, 2, 4]
  privacy.eps_pp: [1, 8]
)");
  int nonprivate = 0, federboost = 0, masked = 0;
  for (const auto& job : jobs) {
    nonprivate += job.spec.method == "nonprivate";
    federboost += job.spec.method == "federboost";
    masked += job.spec.method == "masked";
    EXPECT_TRUE(job.spec.method == "masked" || job.spec.privacy.eps_ap == 1.0);
  }
  EXPECT_EQ(nonprivate, 1);
  EXPECT_EQ(federboost, 2);
  EXPECT_EQ(masked, 6);
}

TEST(Config, overrides_replace_values_and_axes) {
  const std::string yaml = "method: masked\naxes: {privacy.eps_ap: [1, 2], seed: [1, 2]}\n";
  EXPECT_EQ(jobs_of(yaml).size(), 4u);
  const auto one = jobs_of(yaml, {{"privacy.eps_ap=0.5", "train.rounds=5"}, false});
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].spec.privacy.eps_ap, 0.5);
  EXPECT_EQ(one[0].spec.train.rounds, 5);
  EXPECT_EQ(jobs_of(yaml, {{"privacy.eps_ap=[1,2,4]"}, false}).size(), 6u);
  EXPECT_EQ(jobs_of(yaml, {{"attack=leaf"}, false})[0].spec.attack.name, "leaf");
  EXPECT_EQ(jobs_of(yaml, {{"privacy.delta_pp=1/n"}, false}).size(), 4u);
}

TEST(Config, errors_of_overrides) {
  const auto error = [](const std::string& text) { return error_of("seed: 1\n", {{text}, false}); };
  EXPECT_EQ(error("train.roundz=5"),
            "--set train.roundz=5: unknown key 'train.roundz'; did you mean 'train.rounds'?");
  EXPECT_EQ(error("train.rounds=x"),
            "--set train.rounds=x: train.rounds must be a whole number from 1 to 100000, not 'x'");
  EXPECT_EQ(error("train.rounds"), "--set train.rounds: write it as key=value");
  EXPECT_EQ(error("train.rounds=[]"), "--set train.rounds=[]: axes: train.rounds is an empty list");
  EXPECT_EQ(error("name=x"), "--set name=x: 'name' can only be written in the config");
}

TEST(Config, small_scale) {
  const std::string yaml = R"(
method: masked
repeats: 10
axes:
  privacy.eps_ap: [1, 2, 4]
  data.dataset: [bank, adult]
small:
  repeats: 2
  train: {rounds: 3}
  data.dataset: bank
  axes: {privacy.eps_ap: [1, 8]}
)";
  EXPECT_EQ(jobs_of(yaml).size(), 60u);
  const auto small = jobs_of(yaml, {{}, true});
  ASSERT_EQ(small.size(), 4u);
  EXPECT_EQ(small[3].spec.privacy.eps_ap, 8);
  EXPECT_EQ(small[3].spec.train.rounds, 3);
  EXPECT_EQ(error_of("seed: 1\n", {{}, true}), "c.yaml: has no section 'small' for --scale small");
  EXPECT_EQ(error_of("small: {train: {roundz: 1}}\n"),
            "c.yaml:1:17: unknown key 'train.roundz'; did you mean 'train.rounds'?");
}

TEST(Config, includes_keep_their_names_and_axes) {
  TempDir dir;
  dir.write("a.yaml", "name: first\naxes: {seed: [1, 2]}\n");
  dir.write("b.yaml", "name: second\nmethod: local\n");
  const Plan plan =
      load_plan(dir.write("paper.yaml", "name: paper\ninclude: [a.yaml, b.yaml]\n"), {});
  EXPECT_EQ(plan.name, "paper");
  ASSERT_EQ(plan.jobs.size(), 3u);
  EXPECT_EQ(plan.jobs[1].spec.name, "first");
  EXPECT_EQ(plan.jobs[2].spec.name, "second");
}

TEST(Config, errors_of_includes) {
  EXPECT_EQ(error_of("include: [x.yaml]\n"), "c.yaml:1:11: no such file: x.yaml");
  EXPECT_EQ(error_of("include: [c.yaml]\n"), "c.yaml: is included by itself");
  EXPECT_EQ(error_of("include: [x.yaml]\nseed: 3\n"),
            "c.yaml:2:1: 'seed' beside 'include': put it into the included files");
  TempDir dir;
  dir.write("a.yaml", "name: same\n");
  dir.write("b.yaml", "name: same\n");
  const std::string path = dir.write("p.yaml", "include: [a.yaml, b.yaml]\n");
  EXPECT_EQ(what_of([&] { load_plan(path, {}); }),
            (dir / "b.yaml") + ": another included config is named 'same' too");
}

TEST(RunId, is_pinned) {
  // Changes only if a key is added or a default or the generator changes: then finished runs no
  // longer count.
  EXPECT_EQ(run_id(RunSpec{}), "f51acbd4a6acebac");
  EXPECT_EQ(jobs_of("method: masked\nprivacy: {eps_ap: 0.1}\n")[0].id, "5433e7c7a0946b8b");
}

TEST(RunId, follows_what_the_data_is) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "data: {dataset: adult, rows: 50}\n");
  const auto id = [&](const std::string& data_dir) {
    return load_plan(config, {{}, false, data_dir}).jobs.at(0).id;
  };
  const std::string synthetic = id("");
  dir.write("adult.csv", "label,x\n0,1\n1,2\n");
  const std::string real = id(dir / "");
  EXPECT_NE(real, synthetic);
  EXPECT_EQ(id(dir / ""), real);
  dir.write("adult.csv", "label,x\n0,1\n1,3\n");
  EXPECT_NE(id(dir / ""), real);
  EXPECT_EQ(id(""), synthetic);
  dir.write("adult.csv", "label,x\n0,1\n1,2\n");
  EXPECT_EQ(id(dir / ""), real);
}

TEST(RunId, names_what_decides_the_result_and_nothing_else) {
  const auto id = [](const std::string& yaml) { return jobs_of(yaml).back().id; };
  const std::string base = id("method: masked\n");
  EXPECT_EQ(base, id("# comment\nname: other\nmethod: masked\ntrain: {rounds: 60}\n"));
  EXPECT_EQ(id("seed: 3\n"), id("seed: 1\nrepeats: 3\n"));
  EXPECT_NE(base, id("method: masked\nprivacy: {eps_ap: 1.0000000000000002}\n"));
  EXPECT_NE(base, id("method: masked\nseed: 2\n"));
  EXPECT_NE(base, id("method: masked\nprivacy: {reading: equal}\n"));
  EXPECT_NE(base, id("method: masked\nnoise: {generator: aes}\n"));
}

TEST(Reading, presets_by_method) {
  const auto privacy = [](const std::string& method, const std::string& reading) {
    return jobs_of("method: " + method + "\nprivacy: {reading: " + reading + "}\n")[0].spec;
  };
  EXPECT_EQ(name_of(privacy("masked", "paper").privacy.scope), "message");
  EXPECT_EQ(name_of(privacy("xgb-ldp", "paper").privacy.scope), "tree");
  EXPECT_EQ(name_of(privacy("xgb-ldp", "paper").ldp.leaves), "noisy");
  for (const std::string method : {"masked", "fedxgb-ldp"}) {
    const auto equal = privacy(method, "equal");
    EXPECT_EQ(name_of(equal.privacy.scope), "training");
    EXPECT_EQ(name_of(equal.privacy.unit), "record");
    EXPECT_EQ(name_of(equal.privacy.composition), "advanced");
    EXPECT_EQ(name_of(equal.ldp.leaves), "clean");
    const auto sound = privacy(method, "sound");
    EXPECT_EQ(name_of(sound.privacy.scope), "training");
    EXPECT_EQ(name_of(sound.privacy.composition), "pld");
    EXPECT_EQ(name_of(sound.privacy.mu), "label");
  }
  EXPECT_EQ(name_of(privacy("masked", "sound").privacy.theorem3), "tight");
}

TEST(Reading, a_departure_makes_it_custom) {
  const auto reading = [](const std::string& yaml) {
    return jobs_of(yaml)[0].spec.privacy.reading;
  };
  EXPECT_EQ(reading("method: masked\nprivacy: {scope: tree}\n"),
            "custom(scope=tree,unit=record,composition=advanced,mu=paper,theorem3=printed)");
  EXPECT_EQ(reading("method: masked\nprivacy: {scope: message}\n"), "paper");
  EXPECT_EQ(reading("method: xgb-ldp\nldp: {leaves: clean}\n"),
            "custom(scope=tree,unit=record,composition=advanced,mu=paper,leaves=clean)");
  EXPECT_EQ(reading("method: masked\nldp: {leaves: clean}\n"), "paper");
  EXPECT_EQ(reading("method: masked\nprivacy: {reading: sound, mu: range}\n"),
            "custom(scope=training,unit=record,composition=pld,mu=range,theorem3=tight)");
}

TEST(Reading, an_axis_over_a_field_gives_named_readings) {
  const auto jobs = jobs_of("method: masked\naxes: {privacy.scope: [message, tree]}\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec.privacy.reading, "paper");
  EXPECT_TRUE(jobs[1].spec.privacy.reading.starts_with("custom(scope=tree"));
}

}  // namespace
}  // namespace maskbench
