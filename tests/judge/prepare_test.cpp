// What two runs share of their data, and what they must not.
#include "harness/judge/prepare.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/scratch_dir.hpp"

namespace maskbench {
namespace {

using Change = std::function<void(RunSpec&)>;

RunSpec base() {
  RunSpec spec;
  spec.data.source = Source::synthetic;
  spec.data.rows = 400;
  return spec;
}

std::shared_ptr<const PreparedData> prepared(const RunSpec& spec, const std::string& dir = "") {
  ThreadPool pool(1);
  return prepare(spec, dir, pool);
}

// All that a training or its judge sees of the data.
std::string text_of(const PreparedData& data) {
  std::string out = data.source + ' ' + data.sha256 + '\n';
  for (const auto* labels : {&data.train_labels, &data.test_labels}) {
    for (float y : *labels) out += std::to_string(y) + ' ';
    out += '\n';
  }
  for (const PartyData* party : {&data.ap, &data.pp, &data.ap_test, &data.pp_test}) {
    for (const std::string& name : party->names) out += name + ' ';
    for (uint8_t bin : party->bins.bins) out += std::to_string(bin) + ' ';
    out += '\n';
  }
  return out;
}

struct Field {
  const char* name;
  Change change;
};

class EachField : public testing::TestWithParam<Field> {};

TEST_P(EachField, of_data_or_partition_gives_other_data) {
  const std::string before = text_of(*prepared(base()));
  RunSpec other = base();
  GetParam().change(other);
  const auto changed = prepared(other);
  EXPECT_NE(text_of(*changed), before);
  // And the first one's data come back as they were.
  EXPECT_EQ(text_of(*prepared(base())), before);
}

INSTANTIATE_TEST_SUITE_P(
    Prepare, EachField,
    testing::Values(
        Field{"seed", [](RunSpec& s) { s.seed = 2; }},
        Field{"max_bins", [](RunSpec& s) { s.train.max_bins = 8; }},
        Field{"test_fraction", [](RunSpec& s) { s.data.test_fraction = 0.3; }},
        Field{"ap_features", [](RunSpec& s) { s.data.ap_features = 0.3; }},
        Field{"ap_columns",
              [](RunSpec& s) { s.data.ap_columns = {prepared(base())->pp.names.front()}; }},
        Field{"rows", [](RunSpec& s) { s.data.rows = 401; }},
        Field{"features", [](RunSpec& s) { s.data.features = 9; }},
        Field{"positive_rate", [](RunSpec& s) { s.data.positive_rate = 0.5; }},
        Field{"dataset", [](RunSpec& s) { s.data.dataset = "bank"; }},
        Field{"objective", [](RunSpec& s) { s.train.objective = Objective::regression; }}),
    [](const auto& entry) { return std::string(entry.param.name); });

TEST(Prepare, runs_that_differ_in_method_or_budget_share_their_data) {
  const auto first = prepared(base());
  const Change changes[] = {
      [](RunSpec& s) { s.method = "masked"; },   [](RunSpec& s) { s.mode = Mode::fused; },
      [](RunSpec& s) { s.privacy.eps_ap = 7; },  [](RunSpec& s) { s.privacy.eps_pp = 7; },
      [](RunSpec& s) { s.privacy.W = 3; },       [](RunSpec& s) { s.train.rounds = 3; },
      [](RunSpec& s) { s.train.max_depth = 2; }, [](RunSpec& s) { s.attack.name = "leaf"; }};
  for (const Change& change : changes) {
    RunSpec other = base();
    change(other);
    EXPECT_EQ(prepared(other), first);
  }
}

std::string csv(int shift) {
  std::string text = "label,a,\"b,c\",\"a,b\",c\n";
  for (int j = 0; j < 60; ++j) {
    for (int k = 0; k < 5; ++k)
      text += (k > 0 ? "," : "") + std::to_string(k == 0 ? j % 2 : (j * (k + shift)) % 11);
    text += '\n';
  }
  return text;
}

TEST(Prepare, a_file_is_not_the_generator_nor_the_file_of_another_directory) {
  const ScratchDir one, two;
  one.write("adult.csv", csv(1));
  two.write("adult.csv", csv(2));
  RunSpec file = base();
  file.data.rows = 0;
  file.data.source = Source::file;
  RunSpec generated = file;
  generated.data.source = Source::synthetic;
  generated.data.rows = 60;
  const std::string first = text_of(*prepared(file, one.path()));
  EXPECT_EQ(prepared(file, one.path())->source, "file");
  EXPECT_EQ(prepared(generated, one.path())->source, "synthetic");
  EXPECT_NE(text_of(*prepared(file, two.path())), first);
  EXPECT_EQ(text_of(*prepared(file, one.path())), first);
}

// A file's rows are drawn by the seed where some are drawn; all of them are split by it.
TEST(Prepare, a_subsample_of_a_file_follows_the_seed) {
  const ScratchDir dir;
  dir.write("adult.csv", csv(1));
  RunSpec spec = base();
  spec.data.source = Source::file;
  for (int64_t rows : {0, 40}) {
    spec.data.rows = rows;
    spec.seed = 1;
    const std::string first = text_of(*prepared(spec, dir.path()));
    spec.seed = 2;
    EXPECT_NE(text_of(*prepared(spec, dir.path())), first) << rows;
  }
}

// Each of the three seeds moves its own thing and nothing else.
TEST(Prepare, partition_split_and_noise_have_seeds_of_their_own) {
  const ScratchDir dir;
  dir.write("adult.csv", csv(1));
  RunSpec spec = base();
  spec.data.source = Source::file;
  spec.data.rows = 40;
  const auto at = [&](uint64_t seed, SeedsSpec seeds) {
    spec.seed = seed;
    spec.seeds = seeds;
    return prepared(spec, dir.path());
  };
  std::set<std::vector<std::string>> partitions;
  std::set<std::vector<float>> splits;
  std::set<uint64_t> noises;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto fixed = at(seed, {.partition = 3, .split = 5, .noise = 7});
    const auto first = at(1, {.partition = 3, .split = 5, .noise = 7});
    EXPECT_EQ(text_of(*fixed), text_of(*first));
    EXPECT_EQ(noise_key(spec), noise_key([&] {
                RunSpec s;
                s.seed = 7;
                return s;
              }()));
    partitions.insert(at(seed, {.split = 5})->ap.names);
    splits.insert(at(seed, {.partition = 3})->train_labels);
    EXPECT_EQ(at(seed, {.partition = 3})->ap.names, fixed->ap.names);
    EXPECT_EQ(at(seed, {.split = 5})->train_labels, fixed->train_labels);
    noises.insert(noise_key(spec));
  }
  EXPECT_GT(partitions.size(), 1u);
  EXPECT_GT(splits.size(), 1u);
  EXPECT_EQ(noises.size(), 8u);
}

// Column names may hold commas.
TEST(Prepare, lists_of_columns_are_told_apart) {
  const ScratchDir dir;
  dir.write("adult.csv", csv(1));
  RunSpec spec = base();
  spec.data.rows = 0;
  spec.data.source = Source::file;
  spec.data.ap_columns = {"a", "b,c"};
  EXPECT_EQ(prepared(spec, dir.path())->ap.names, spec.data.ap_columns);
  spec.data.text_columns = {"a"};
  EXPECT_FALSE(prepared(spec, dir.path())->ap_features.front().categories.empty());
  spec.data.text_columns = {};
  EXPECT_TRUE(prepared(spec, dir.path())->ap_features.front().categories.empty());
  spec.data.ap_columns = {"a,b", "c"};
  EXPECT_EQ(prepared(spec, dir.path())->ap.names, spec.data.ap_columns);
}

}  // namespace
}  // namespace maskbench
