#include "harness/config/schema.hpp"

#include <gtest/gtest.h>

#include "harness/base/sha256.hpp"
#include "harness/base/text.hpp"
#include "tests/support/fake.hpp"

namespace maskbench {
namespace {

using testing::what_of;

std::string set_error(const std::string& name, const std::string& text) {
  RunSpec spec;
  return what_of([&] { set_key(spec, *find_key(name), text); });
}

TEST(Schema, every_default_is_allowed_and_round_trips) {
  for (const auto& key : schema()) {
    RunSpec spec;
    EXPECT_TRUE(key.set(spec, default_text(key))) << key.name;
    EXPECT_EQ(key.get(spec), default_text(key)) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_FALSE(key.allowed.empty()) << key.name;
  }
}

TEST(Schema, numbers_round_trip_exactly) {
  RunSpec spec;
  for (const char* text : {"0.1", "1e-300", "0.30000000000000004", "123456789.123"}) {
    set_key(spec, *find_key("train.lambda"), text);
    const double value = spec.train.lambda;
    set_key(spec, *find_key("train.lambda"), find_key("train.lambda")->get(spec));
    EXPECT_EQ(spec.train.lambda, value);
  }
  set_key(spec, *find_key("seed"), "4611686018427387904");
  EXPECT_EQ(spec.seed, uint64_t{1} << 62);
}

TEST(Schema, wrong_values_name_what_is_allowed) {
  EXPECT_EQ(set_error("train.rounds", "0"),
            "train.rounds must be a whole number from 1 to 100000, not '0'");
  EXPECT_EQ(set_error("train.rounds", "5.5"),
            "train.rounds must be a whole number from 1 to 100000, not '5.5'");
  EXPECT_EQ(set_error("train.rounds", "99999999999999999999"),
            "train.rounds must be a whole number from 1 to 100000, not '99999999999999999999'");
  EXPECT_EQ(set_error("privacy.eps_ap", "0"), "privacy.eps_ap must be a number over 0, not '0'");
  EXPECT_EQ(set_error("privacy.eps_ap", "nan"),
            "privacy.eps_ap must be a number over 0, not 'nan'");
  EXPECT_EQ(set_error("privacy.delta_ap", "1"),
            "privacy.delta_ap must be a number over 0 and below 1, not '1'");
  EXPECT_EQ(set_error("train.gamma", "-1"), "train.gamma must be a number >= 0, not '-1'");
  EXPECT_EQ(set_error("train.gbdt", "maybe"), "train.gbdt must be true or false, not 'maybe'");
  EXPECT_EQ(
      set_error("mode", "fussed"),
      "mode must be one of materialised, fused, collapsed, not 'fussed'; did you mean 'fused'?");
  EXPECT_EQ(set_error("paillier.key_bits", "512"),
            "paillier.key_bits must be one of 1024, 2048, 3072, 4096, not '512'");
  EXPECT_EQ(set_error("data.dataset", "../adult"),
            "data.dataset must be a name of letters, digits, '-', '_' and '.', not '../adult'");
}

TEST(Schema, delta_pp_may_be_one_over_n) {
  RunSpec spec;
  const Key& key = *find_key("privacy.delta_pp");
  set_key(spec, key, "0.25");
  EXPECT_EQ(spec.privacy.delta_pp, 0.25);
  set_key(spec, key, "1/n");
  EXPECT_EQ(spec.privacy.delta_pp, 0);
  EXPECT_EQ(key.get(spec), "1/n");
  EXPECT_EQ(set_error("privacy.delta_pp", "0"),
            "privacy.delta_pp must be 1/n or a number over 0 and below 1, not '0'");
}

TEST(Schema, lists_of_columns) {
  RunSpec spec;
  const Key& key = *find_key("data.ap_columns");
  set_key(spec, key, "age,income");
  EXPECT_EQ(spec.data.ap_columns, (std::vector<std::string>{"age", "income"}));
  EXPECT_EQ(key.get(spec), R"(["age","income"])");
  set_key(spec, key, R"(["a,b","c"])");
  EXPECT_EQ(spec.data.ap_columns, (std::vector<std::string>{"a,b", "c"}));
  EXPECT_FALSE(key.set(spec, "[1"));
}

TEST(Schema, suggests_the_nearest_key) {
  EXPECT_EQ(unknown_key("train.roundz"),
            "unknown key 'train.roundz'; did you mean 'train.rounds'?");
  EXPECT_EQ(unknown_key("rounds"), "unknown key 'rounds'; did you mean 'train.rounds'?");
  EXPECT_EQ(unknown_key("model.rounds"),
            "unknown key 'model.rounds'; did you mean 'train.rounds'?");
  EXPECT_EQ(unknown_key("trian"), "unknown key 'trian'; did you mean 'train'?");
  EXPECT_EQ(unknown_key("label-rr"), "unknown key 'label-rr'; did you mean 'label_rr'?");
  EXPECT_EQ(unknown_key("zzzzzzzz"), "unknown key 'zzzzzzzz'");
}

TEST(Text, sha256_of_the_standard_example) {
  EXPECT_EQ(sha256_of_text("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Text, durations) {
  EXPECT_EQ(duration_text(0.44), "0.4 s");
  EXPECT_EQ(duration_text(100), "100 s");
  EXPECT_EQ(duration_text(600), "10 min");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

}  // namespace
}  // namespace maskbench
