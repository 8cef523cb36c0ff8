#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/choices.hpp"
#include "harness/base/reading.hpp"

namespace maskbench {

// Everything that defines a run, as plain values. harness/config/schema_keys.cpp names each field's
// key in the YAML, its range and its help; the hash of all fields and of the data names the run.
struct DataSpec {
  std::string dataset = "adult";
  Source source = Source::automatic;
  int64_t rows = 0;          // 0: the shape's own, or the whole file
  int features = 0;          // 0: the shape's own; synthetic only
  double positive_rate = 0;  // 0: the shape's own; synthetic only
  double test_fraction = 0.2;
  double ap_features = 0.5;  // share of the features that AP holds, drawn by the seed ...
  std::vector<std::string> ap_columns;         // ... or AP's features by name
  std::vector<std::string> text_columns = {};  // of a file: categories even where numbers stand
  std::string label = "label";                 // of a file: the column of the labels
  std::string id;                              // of a file: names the rows, no feature
  std::vector<std::string> drop = {};          // of a file: columns to leave out
  // What the data was when the plan was made (harness/data/data_content.hpp). No key: it follows
  // from the others and the data directory. Empty: any will do.
  std::string content;
};

struct TrainSpec {
  int rounds = 60;
  int max_depth = 6;
  int max_bins = 32;
  double learning_rate = 0.3;
  double lambda = 1.0;
  double gamma = 0.0;
  double min_child_weight = 1.0;
  BaseScore base_score = BaseScore::prior;
  Objective objective = Objective::classification;
  double gradient_clip = 1.0;  // regression: |g| is clipped to it
  bool gbdt = false;           // gradient-only variant: h = 1 for every row

  bool is_regression() const { return objective == Objective::regression; }
  // h is 1 for every row, so that only gradients need to travel.
  bool gradient_only() const { return gbdt || is_regression(); }
};

struct PrivacySpec {
  double eps_ap = 1.0;
  double delta_ap = 0.001;
  double eps_pp = 1.0;
  double delta_pp = 0.0;  // 0 stands for 1/n, n the training rows
  int W = 1;
  std::string reading =
      "paper";  // the name of the fields below: paper | message | equal | sound | custom...
  privacy::Scope scope = privacy::Scope::message;
  privacy::Unit unit = privacy::Unit::record;
  privacy::Composition composition = privacy::Composition::advanced;
  privacy::MuKind mu = privacy::MuKind::paper;
  privacy::Theorem3Kind theorem3 = privacy::Theorem3Kind::printed;
  double ratio = 0;         // R = sigma1^2/sigma2^2; 0: solved from eps_pp, delta_pp
  bool zero_noise = false;  // every mechanism's noise off: the conformance test
  NoiseKey noise_key = NoiseKey::seed;

  privacy::Reading as_read() const { return {scope, unit, composition, mu, theorem3}; }
};

struct NoiseSpec {
  Generator generator = Generator::philox;
};

struct MaskedSpec {
  Orient orient = Orient::left;
  HessianGuard h_guard = HessianGuard::skip;
  int64_t memory_limit = int64_t{1} << 30;
};

// A party of masked that leaves the protocol while the other keeps to it; all as they stand:
// nobody.
struct DeviationSpec {
  double pp_sigma1 = 1;  // factor on PP's sigma1; both factors 0: B = 0
  double pp_sigma2 = 1;  // factor on PP's sigma2
  double ap_c = 1;       // factor on AP's C
  OfferedSplit pp_split = OfferedSplit::honest;
  bool any() const {
    return pp_sigma1 != 1 || pp_sigma2 != 1 || ap_c != 1 || pp_split != OfferedSplit::honest;
  }
};

struct LdpSpec {
  LdpLeaves leaves = LdpLeaves::clean;
  Refresh refresh = Refresh::tree;
  privacy::GaussianKind gaussian = privacy::GaussianKind::printed;
};

struct FederBoostSpec {
  int buckets = 0;  // that PP's features are cut in for their release; 0: train.max_bins
  bool per_feature = false;
  bool debias = false;
};

struct LabelRrSpec {
  RrLeaves leaves = RrLeaves::hidden;
  double split_lambda = 0;  // 0: 6/(1 - 2 flip)^2
};

struct OpBoostSpec {
  bool per_distance = false;  // eps_pp for each step between two buckets, as published
};

// Fixed beforehand, by a sweep on synthetic data: docs/privacy.md.
struct LateFusionSpec {
  int trees = 50;  // of PP's own model
  int max_depth = 4;
  double learning_rate = 0.15;
  double lambda = 100;   // divided by (1 - 2 flip)^2: noisier labels, more ridge
  double weight = 1;     // AP's factor on PP's score
  double eps_query = 0;  // of one answer of PP when the model is used; 0: in clear
  double bound = 3;      // noised answers are clipped to it
  double stack_eps = 0;  // over 0: PP releases its scores' levels and AP trains on them
  int levels = 4;
};

struct SmmSpec {
  int rank = 30;  // vectors of AP's null-space basis: PP's answer hides in their span
};

struct PaillierSpec {
  int key_bits = 2048;
  int max_trees = 0;  // 0: all rounds
};

struct AttackSpec {
  std::string name = "none";
  int64_t trees = 1;  // how many trees' messages the attacker keeps
  int64_t nodes = 1;  // how many nodes of each, from the root on
  int64_t train_rows = 20000;
  int64_t trials = 100000;  // audit: of each of the two inputs
};

// Seeds that stay the same over the repeats; those not given follow the repeat's own.
struct SeedsSpec {
  static constexpr int64_t kOfRepeat = -1;
  int64_t partition = kOfRepeat;  // which features AP holds
  int64_t split = kOfRepeat;      // which rows are used, and which of them test
  int64_t noise = kOfRepeat;      // both parties' randomness, and random first predictions
};

struct RunSpec {
  std::string name;  // the config's name
  DataSpec data;
  TrainSpec train;
  std::string method = "nonprivate";
  bool verify = false;  // AP sees the rows of PP's offered splits and scores them itself
  Mode mode = Mode::collapsed;
  PrivacySpec privacy;
  NoiseSpec noise;
  MaskedSpec masked;
  DeviationSpec deviation;
  LdpSpec ldp;
  FederBoostSpec federboost;
  LabelRrSpec label_rr;
  OpBoostSpec opboost;
  LateFusionSpec late_fusion;
  SmmSpec smm;
  PaillierSpec paillier;
  AttackSpec attack;
  BackendChoice backend = BackendChoice::cpu;
  int repeats = 1;
  int repeat = 0;  // which of them this run is
  uint64_t seed = 1;
  SeedsSpec seeds;

  uint64_t partition_seed() const { return fixed_or_own(seeds.partition); }
  uint64_t split_seed() const { return fixed_or_own(seeds.split); }
  uint64_t noise_seed() const { return fixed_or_own(seeds.noise); }

 private:
  uint64_t fixed_or_own(int64_t fixed) const {
    return fixed == SeedsSpec::kOfRepeat ? seed : static_cast<uint64_t>(fixed);
  }
};

}  // namespace maskbench
