#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maskbench {

// Everything that defines a run, as plain values. harness/app/schema.cpp names each field's key in
// the YAML, its range and its help; the hash of all fields names the run.
struct DataSpec {
  std::string dataset = "adult";
  std::string source = "auto";  // auto | file | synthetic
  int64_t rows = 0;             // 0: the shape's own, or the whole file
  int features = 0;             // 0: the shape's own; synthetic only
  double positive_rate = 0;     // 0: the shape's own; synthetic only
  double test_fraction = 0.2;
  double ap_features = 0.5;  // share of the features that AP holds, drawn by the seed ...
  std::vector<std::string> ap_columns;  // ... or AP's features by name
};

struct TrainSpec {
  int rounds = 60;
  int max_depth = 6;
  int max_bins = 32;
  double learning_rate = 0.3;
  double lambda = 1.0;
  double gamma = 0.0;
  double min_child_weight = 1.0;
  std::string base_score = "prior";          // prior | 0.5 | random
  std::string objective = "classification";  // classification | regression
  double gradient_clip = 1.0;                // regression: |g| is clipped to it
  bool gbdt = false;                         // gradient-only variant: h = 1 for every row
};

struct PrivacySpec {
  double eps_ap = 1.0;
  double delta_ap = 0.001;
  double eps_pp = 1.0;
  double delta_pp = 0.0;  // 0 stands for 1/n, n the training rows
  int W = 1;
  std::string reading = "paper";         // paper | equal | sound | custom
  std::string scope = "message";         // message | tree | level | training
  std::string unit = "record";           // record | vector
  std::string composition = "advanced";  // basic | advanced | gdp | pld
  std::string mu = "paper";              // paper | label | range
  std::string theorem3 = "printed";      // printed | tight
  double ratio = 0;                      // R = sigma1^2/sigma2^2; 0: solved from eps_pp, delta_pp
  bool zero_noise = false;               // every mechanism's noise off: the conformance test
  std::string noise_key = "seed";        // seed | os: where the protocol's randomness comes from
};

struct MaskedSpec {
  std::string orient = "left";   // left | smaller
  std::string h_guard = "skip";  // skip | clip
  int64_t memory_limit = int64_t{1} << 30;
};

// A party of masked that leaves the protocol while the other keeps to it; all as they stand:
// nobody.
struct DeviationSpec {
  double pp_sigma1 = 1;             // factor on PP's sigma1; both factors 0: B = 0
  double pp_sigma2 = 1;             // factor on PP's sigma2
  double ap_c = 1;                  // factor on AP's C
  std::string pp_split = "honest";  // honest | random: PP's best score with another of its splits
  bool any() const { return pp_sigma1 != 1 || pp_sigma2 != 1 || ap_c != 1 || pp_split != "honest"; }
};

struct LdpSpec {
  std::string leaves = "clean";      // clean | noisy
  std::string refresh = "tree";      // tree | node
  std::string gaussian = "printed";  // printed | tight
};

struct FederBoostSpec {
  bool per_feature = false;
  bool debias = false;
};

struct LabelRrSpec {
  std::string leaves = "private";  // private | public
  double split_lambda = 100;
};

struct SmmSpec {
  int rank = 16;  // vectors of AP's null-space basis: PP's answer hides in their span
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
};

struct RunSpec {
  std::string name;  // the config's name
  DataSpec data;
  TrainSpec train;
  std::string method = "nonprivate";
  std::string mode = "collapsed";  // materialised | fused | collapsed
  PrivacySpec privacy;
  MaskedSpec masked;
  DeviationSpec deviation;
  LdpSpec ldp;
  FederBoostSpec federboost;
  LabelRrSpec label_rr;
  SmmSpec smm;
  PaillierSpec paillier;
  AttackSpec attack;
  std::string backend = "cpu";  // cpu | cuda | auto
  int repeats = 1;
  int repeat = 0;  // which of them this run is
  uint64_t seed = 1;
};

}  // namespace maskbench
