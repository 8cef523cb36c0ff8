#include "harness/config/schema_keys.hpp"

#include <nlohmann/json.hpp>

#include "harness/base/folder.hpp"
#include "harness/config/schema_types.hpp"
#include "harness/data/utf8.hpp"
#include "harness/judge/catalog.hpp"
#include "kernels/random/streams.hpp"

namespace maskbench {
namespace {

constexpr Range kShare = {.low = 0, .high = 1, .above_low = true, .below_high = true};
constexpr Range kPositive = {.low = 0, .above_low = true};
constexpr Range kNotNegative = {.low = 0};
constexpr Range kFactor = {.low = 0, .high = 1000};
constexpr double kMostMargin = 1e6;  // of a number that margins are made of: they are floats
constexpr int64_t kMany = 1'000'000'000;

using Words = std::vector<std::string>;

std::string words_text(const Words& words) {
  return words.empty() ? "" : nlohmann::json(words).dump();
}

std::optional<Words> parse_words(const std::string& text) {
  Words words;
  if (!is_utf8(text)) return std::nullopt;
  if (text.starts_with('[')) {
    const auto array = nlohmann::json::parse(text, nullptr, false);
    if (array.is_discarded()) return std::nullopt;
    for (const auto& item : array) {
      if (!item.is_string()) return std::nullopt;
      words.push_back(item);
    }
    return words;
  }
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::optional<std::string> parse_text(const std::string& text) {
  return is_utf8(text) ? std::optional(text) : std::nullopt;
}

// A column's name. It stands in the results alone in a cell, where a spreadsheet would take some
// for formulas.
std::optional<std::string> parse_column(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  return is_formula ? std::nullopt : parse_text(text);
}

std::optional<std::string> parse_word(const std::string& text) {
  return text.empty() ? std::nullopt : parse_column(text);
}

std::optional<std::string> parse_file_name(const std::string& text) {
  return is_plain_name(text) ? std::optional(text) : std::nullopt;
}

// 0 stands for 1/n, n the training rows, which only the run knows.
std::string delta_pp_text(double delta) {
  return delta == 0 ? "1/n" : fmt::format("{}", delta);
}

std::optional<double> parse_delta_pp(const std::string& text) {
  if (text == "1/n") return 0.0;
  const auto value = parse_number<double>(text);
  return value && kShare.contains(*value) ? value : std::nullopt;
}

std::string seed_text(int64_t seed) {
  return seed == SeedsSpec::kOfRepeat ? "repeat" : fmt::format("{}", seed);
}

std::optional<int64_t> parse_seed(const std::string& text) {
  if (text == "repeat") return SeedsSpec::kOfRepeat;
  const auto value = parse_number<int64_t>(text);
  return value && *value >= 0 && *value <= int64_t{1} << 62 ? value : std::nullopt;
}

void seed_keys(std::vector<Key>& keys) {
  Section<SeedsSpec> seeds(keys, "seeds.", &RunSpec::seeds);
  const auto add = [&](const char* name, int64_t SeedsSpec::*field, const char* help) {
    seeds.custom(name, field, "a whole number from 0 to 2^62, or repeat", help, seed_text,
                 parse_seed);
  };
  add("partition", &SeedsSpec::partition, "of which features AP holds; repeat: the repeat's seed");
  add("split", &SeedsSpec::split, "of which rows are drawn and which of them test");
  add("noise", &SeedsSpec::noise, "of all randomness in the training");
}

std::string same(const std::string& text) {
  return text;
}

void data_keys(std::vector<Key>& keys) {
  Section<DataSpec> data(keys, "data.", &RunSpec::data);
  data.custom("dataset", &DataSpec::dataset, "a name of letters, digits, '-', '_' and '.'",
              "one of `maskbench list`, or any NAME with DIR/NAME.csv in the data directory", same,
              parse_file_name);
  data.choice("source", &DataSpec::source,
              "auto takes the file if it is in the data directory, else the generator");
  data.whole<int64_t>("rows", &DataSpec::rows, 0, kMany, "rows to use; 0: all");
  data.whole("features", &DataSpec::features, 0, 100'000, "synthetic: features; 0: the dataset's");
  data.real("positive_rate", &DataSpec::positive_rate, {.low = 0, .high = 1, .below_high = true},
            "synthetic: share of positive labels; 0: the dataset's");
  data.real("test_fraction", &DataSpec::test_fraction, kShare, "share of rows held out");
  data.real("ap_features", &DataSpec::ap_features, kShare, "share of features AP holds");
  data.custom("ap_columns", &DataSpec::ap_columns, "a list of column names",
              "AP's features by name, instead of a share", words_text, parse_words);
  keys.back().is_list = true;
  data.custom("text_columns", &DataSpec::text_columns, "a list of column names",
              "file: columns that are categories, also where most of their cells are numbers",
              words_text, parse_words);
  keys.back().is_list = true;
  constexpr const char* kColumn = "a column name that does not begin with =, +, - or @";
  data.custom("label", &DataSpec::label, kColumn, "file: the column of the labels, 0 or 1", same,
              parse_word);
  data.custom("id", &DataSpec::id, kColumn,
              "file: the column that names the rows; no feature. Two parties match by it", same,
              parse_column);
  data.custom("drop", &DataSpec::drop, "a list of column names", "file: columns to leave out",
              words_text, parse_words);
  keys.back().is_list = true;
}

void train_keys(std::vector<Key>& keys) {
  Section<TrainSpec> train(keys, "train.", &RunSpec::train);
  train.whole("rounds", &TrainSpec::rounds, 1, 100'000, "trees");
  train.whole("max_depth", &TrainSpec::max_depth, 1, 16, "levels of splits in a tree");
  train.whole("max_bins", &TrainSpec::max_bins, 2, 256, "bins a feature");
  train.real("learning_rate", &TrainSpec::learning_rate, kPositive, "factor on every leaf");
  train.real("lambda", &TrainSpec::lambda, kNotNegative, "L2 on leaf weights");
  train.real("gamma", &TrainSpec::gamma, kNotNegative, "gain a split must exceed");
  train.real("min_child_weight", &TrainSpec::min_child_weight, kNotNegative,
             "least sum of h in a child");
  train.choice("base_score", &TrainSpec::base_score,
               "first prediction; random: margins uniform in [-1,1], as the paper");
  train.choice("objective", &TrainSpec::objective,
               "logistic loss, or squared error with clipped gradients");
  train.real("gradient_clip", &TrainSpec::gradient_clip, kPositive, "regression: bound on |g|");
  train.flag("gbdt", &TrainSpec::gbdt, "gradient-only variant: h = 1 for every row");
}

void privacy_keys(std::vector<Key>& keys) {
  Section<PrivacySpec> privacy(keys, "privacy.", &RunSpec::privacy);
  privacy.real("eps_ap", &PrivacySpec::eps_ap, kPositive, "AP's budget");
  privacy.real("delta_ap", &PrivacySpec::delta_ap, kShare, "AP's delta");
  privacy.real("eps_pp", &PrivacySpec::eps_pp, kPositive, "PP's budget");
  privacy.custom("delta_pp", &PrivacySpec::delta_pp, "1/n or a number over 0 and below 1",
                 "PP's delta; n is the number of training rows", delta_pp_text, parse_delta_pp);
  // The noise's counter has eight bits for the column: more would use noise twice.
  privacy.whole("W", &PrivacySpec::W, 1, static_cast<int>(kernels::kMaxColumns),
                "noise vectors a candidate");
  privacy.choice("reading", &PrivacySpec::reading, {"paper", "message", "equal", "sound", "custom"},
                 "preset of scope, unit, composition, mu, theorem3 and ldp.leaves; "
                 "giving one of them another value makes the reading custom");
  privacy.choice("scope", &PrivacySpec::scope, "what one budget covers");
  privacy.choice("unit", &PrivacySpec::unit, "what neighbours differ in");
  privacy.choice("composition", &PrivacySpec::composition,
                 "how the steps of a scope share its budget");
  privacy.choice("mu", &PrivacySpec::mu, "sensitivity of a gradient");
  privacy.choice("theorem3", &PrivacySpec::theorem3, "PP's bound");
  privacy.real("ratio", &PrivacySpec::ratio, kNotNegative,
               "R = sigma1^2/sigma2^2; 0: solved from eps_pp and delta_pp");
  privacy.flag("zero_noise", &PrivacySpec::zero_noise, "all noise off (no privacy): for tests");
  privacy.choice("noise_key", &PrivacySpec::noise_key,
                 "the protocol's randomness: repeatable, or from the operating system");
  Section<NoiseSpec> noise(keys, "noise.", &RunSpec::noise);
  noise.choice("generator", &NoiseSpec::generator,
               "what draws it: aes is cryptographic (128-bit key, backend cpu)");
}

void method_keys(std::vector<Key>& keys) {
  Section<MaskedSpec> masked(keys, "masked.", &RunSpec::masked);
  masked.choice("orient", &MaskedSpec::orient, "which side is active");
  masked.choice("h_guard", &MaskedSpec::h_guard, "noisy denominators <= 0");
  masked.whole<int64_t>("memory_limit", &MaskedSpec::memory_limit, 1 << 20, int64_t{1} << 50,
                        "materialised: bytes of noise held at once");
  Section<DeviationSpec> deviation(keys, "deviation.", &RunSpec::deviation);
  deviation.real("pp_sigma1", &DeviationSpec::pp_sigma1, kFactor, "factor on PP's sigma1");
  deviation.real("pp_sigma2", &DeviationSpec::pp_sigma2, kFactor, "factor on PP's sigma2");
  deviation.real("ap_c", &DeviationSpec::ap_c, kFactor, "factor on AP's C");
  deviation.choice("pp_split", &DeviationSpec::pp_split,
                   "random: PP reports its best score but splits by another candidate");
  Section<LdpSpec> ldp(keys, "ldp.", &RunSpec::ldp);
  ldp.choice("leaves", &LdpSpec::leaves, "leaf weights from true or sent g, h");
  ldp.choice("refresh", &LdpSpec::refresh, "fresh noise for each tree or node");
  ldp.choice("gaussian", &LdpSpec::gaussian, "bound for its scale");
  Section<FederBoostSpec> federboost(keys, "federboost.", &RunSpec::federboost);
  federboost.whole("buckets", &FederBoostSpec::buckets, 0, 256,
                   "of PP's features for their release; 0: train.max_bins");
  federboost.flag("per_feature", &FederBoostSpec::per_feature, "eps_pp for each feature");
  federboost.flag("debias", &FederBoostSpec::debias, "invert the response for the sums");
  Section<LabelRrSpec> label_rr(keys, "label_rr.", &RunSpec::label_rr);
  label_rr.choice("leaves", &LabelRrSpec::leaves, "leaf weights from true or released labels");
  label_rr.real("split_lambda", &LabelRrSpec::split_lambda, kNotNegative,
                "lambda of the search; 0: 6/(1 - 2 flip)^2");
  Section<OpBoostSpec> opboost(keys, "opboost.", &RunSpec::opboost);
  opboost.flag("per_distance", &OpBoostSpec::per_distance,
               "eps_pp for each feature and step between buckets");
  Section<LateFusionSpec> fusion(keys, "late_fusion.", &RunSpec::late_fusion);
  fusion.whole("trees", &LateFusionSpec::trees, 1, 100'000, "trees of PP's own model");
  fusion.whole("max_depth", &LateFusionSpec::max_depth, 1, 16, "their depth");
  fusion.real("learning_rate", &LateFusionSpec::learning_rate, kPositive, "their learning rate");
  fusion.real("lambda", &LateFusionSpec::lambda, kNotNegative, "their ridge, over (1 - 2 flip)^2");
  fusion.real("weight", &LateFusionSpec::weight, {.low = 0, .high = kMostMargin},
              "AP's factor on PP's score");
  fusion.real("eps_query", &LateFusionSpec::eps_query, kNotNegative,
              "of one answer of PP when the model is used; 0: in clear");
  fusion.real("bound", &LateFusionSpec::bound, {.low = 0, .high = kMostMargin, .above_low = true},
              "noised answers are clipped to it");
  fusion.real("stack_eps", &LateFusionSpec::stack_eps, kNotNegative,
              "over 0: AP trains on PP's out-of-fold scores by randomised response");
  fusion.whole("levels", &LateFusionSpec::levels, 2, 256, "of the scores that AP trains on");
  Section<SmmSpec> smm(keys, "smm.", &RunSpec::smm);
  smm.whole("rank", &SmmSpec::rank, 1, 100'000, "vectors of AP's null-space basis");
  Section<PaillierSpec> paillier(keys, "paillier.", &RunSpec::paillier);
  paillier.choice("key_bits", &PaillierSpec::key_bits, {"1024", "2048", "3072", "4096"}, "modulus");
  paillier.whole("max_trees", &PaillierSpec::max_trees, 0, 100'000, "trees to grow; 0: all rounds");
}

}  // namespace

std::vector<Key> schema_keys() {
  std::vector<Key> keys;
  Section<RunSpec> top(keys, "", nullptr);
  top.choice("method", &RunSpec::method, ids(methods()), "what is compared");
  top.choice("mode", &RunSpec::mode,
             "masked: all noise stored and sent, in cache only, or only what survives the sums");
  top.flag("verify", &RunSpec::verify,
           "AP scores the rows of PP's offered splits in clear before it takes one");
  top.choice("backend", &RunSpec::backend, "what computes");
  top.whole("repeats", &RunSpec::repeats, 1, 10'000, "runs of each point: seed, seed+1, ...");
  top.whole<uint64_t>("seed", &RunSpec::seed, 0, uint64_t{1} << 62, "of the first repeat");
  seed_keys(keys);
  data_keys(keys);
  train_keys(keys);
  privacy_keys(keys);
  method_keys(keys);
  Section<AttackSpec> attack(keys, "attack.", &RunSpec::attack);
  attack.choice("name", &AttackSpec::name, ids(attacks()), "attack on the run's messages");
  attack.whole<int64_t>("trees", &AttackSpec::trees, 1, kMany, "trees the attacker records");
  attack.whole<int64_t>("nodes", &AttackSpec::nodes, 1, kMany, "nodes of each, from the root");
  attack.whole<int64_t>("train_rows", &AttackSpec::train_rows, 1, kMany, "rows it fabricates");
  attack.whole<int64_t>("trials", &AttackSpec::trials, 100, kMany,
                        "audit: messages of each of two neighbouring inputs");
  return keys;
}

}  // namespace maskbench
