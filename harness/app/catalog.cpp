#include "harness/app/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "attacks/attacks.hpp"
#include "baselines/methods.hpp"
#include "harness/core/error.hpp"
#include "harness/core/synthetic.hpp"
#include "harness/masked/masked.hpp"
#include "kernels/backend.hpp"

namespace maskbench {
namespace {

const std::vector<std::string> kLdpUses = {"privacy.eps_ap",    "privacy.delta_ap",
                                           "privacy.reading",   "privacy.scope",
                                           "privacy.unit",      "privacy.composition",
                                           "privacy.mu",        "privacy.zero_noise",
                                           "privacy.noise_key", "ldp."};

bool names(const std::string& pattern, const std::string& key) {
  return pattern == key || (pattern.back() == '.' && key.starts_with(pattern));
}

}  // namespace

const std::vector<MethodEntry>& methods() {
  static const std::vector<MethodEntry> list = {
      {{"nonprivate", "g and h in clear: the ceiling for AUC, the floor for time", ""},
       make_nonprivate,
       {}},
      {{"local", "AP trains on its own features alone: the floor", ""}, make_local, {}},
      {{"random-split", "PP's cuts drawn at random, leaves by AP: the second floor", ""},
       make_random_split,
       {"privacy.noise_key"}},
      {{"masked", "MaskedXGBoost: both parties' noise, cancelling in the sums", ""},
       make_masked,
       {"mode", "privacy.", "masked.", "deviation."}},
      {{"xgb-ldp", "Gaussian noise on g and h, once a tree", ""}, make_xgb_ldp, kLdpUses},
      {{"fedxgb-ldp", "Gaussian noise on g only, rows counted instead of h", ""},
       make_fedxgb_ldp,
       kLdpUses},
      {{"federboost", "PP's buckets by randomised response, once before training", ""},
       make_federboost,
       {"privacy.eps_pp", "privacy.zero_noise", "privacy.noise_key", "federboost."}},
      {{"paillier", "SecureBoost: histograms of encrypted g and h", ""},
       make_paillier,
       {"paillier."},
       /*os_random=*/true},
      {{"label-rr", "labels by randomised response, once; everything after is public", ""},
       make_label_rr,
       {"privacy.eps_ap", "privacy.zero_noise", "privacy.noise_key", "label_rr."}},
      {{"bilateral-rr", "label-rr, and federboost's response on PP's buckets", ""},
       make_bilateral_rr,
       {"privacy.eps_ap", "privacy.eps_pp", "privacy.zero_noise", "privacy.noise_key", "label_rr.",
        "federboost."}},
      {{"smm", "FedXGBoost-SMM: exact sums by secure matrix multiplication", ""},
       make_smm,
       {"privacy.noise_key", "smm."}},
  };
  return list;
}

const std::vector<AttackEntry>& attacks() {
  using enum Kind;
  static const std::vector<AttackEntry> list = {
      {{"none", "no attack", ""}, nullptr, Party::pp, {}},
      {{"label-nn", "PP on labels: the paper's five-layer network", label_nn_missing()},
       label_nn,
       Party::pp,
       {noise, masked}},
      {{"label-nn-decay", "PP on labels: the same network, L2 as decoupled weight decay",
        label_nn_missing()},
       label_nn_decay,
       Party::pp,
       {noise, masked}},
      {{"label-subspace", "PP on labels: projects its own noise out of the masked gradients", ""},
       label_subspace,
       Party::pp,
       {noise, masked}},
      {{"label-average", "PP on labels: averages the copies of g that it was sent", ""},
       label_average,
       Party::pp,
       {noise, masked, gradients}},
      {{"leaf", "PP on labels: from tree structure, G and H alone", ""}, leaf, Party::pp, {}},
      {{"attribute-minsum", "AP on splitting vectors: the paper's smallest absolute sum", ""},
       attribute_minsum,
       Party::ap,
       {noise}},
      {{"attribute-likelihood", "AP on splitting vectors: the Gaussian likelihood of B", ""},
       attribute_likelihood,
       Party::ap,
       {noise, buckets, matrices}},
      {{"attribute-sums", "AP on splitting vectors: solves the sums that it decrypts", ""},
       attribute_sums,
       Party::ap,
       {gradients}},
      {{"audit", "both: two neighbouring inputs told apart by trial; a lower bound on eps", ""},
       nullptr,
       Party::pp,
       {}},
  };
  return list;
}

const std::vector<DatasetEntry>& datasets() {
  static const std::map<std::string, std::string> titles = {
      {"credit1", "Kaggle Give Me Some Credit"},
      {"adult", "UCI Adult"},
      {"higgs", "UCI Higgs, a subset"},
      {"credit2", "UCI default of credit card clients"},
      {"bank", "UCI bank-full"},
      {"nomao", "UCI Nomao"},
  };
  static const std::vector<DatasetEntry> list = [] {
    std::vector<DatasetEntry> out;
    for (const SyntheticShape& shape : known_shapes()) {
      out.push_back({{shape.name, titles.at(shape.name), ""},
                     static_cast<int64_t>(shape.rows),
                     shape.features,
                     shape.positive_rate});
    }
    return out;
  }();
  return list;
}

const std::vector<CatalogEntry>& backends() {
  static const std::vector<CatalogEntry> list = {
      {"cpu", "threads and SIMD, chosen at run time", ""},
      {"cuda", "NVIDIA GPU: histograms, scores, the kernels of masked", kernels::cuda_missing()},
  };
  return list;
}

const MethodEntry& find_method(const std::string& method) {
  for (const auto& entry : methods()) {
    if (entry.id == method) return entry;
  }
  throw Error(fmt::format("method '{}' is not known", method));
}

const AttackEntry& find_attack(const std::string& attack) {
  for (const auto& entry : attacks()) {
    if (entry.id == attack) return entry;
  }
  throw Error(fmt::format("attack '{}' is not known", attack));
}

bool method_uses(const std::string& method, const std::string& key) {
  static const std::vector<std::string> always = {"data.",   "train.",  "attack.", "method",
                                                  "backend", "repeats", "seed"};
  const auto matches = [&](const std::string& pattern) { return names(pattern, key); };
  if (std::any_of(always.begin(), always.end(), matches)) return true;
  for (const auto& entry : methods()) {
    if (entry.id == method) return std::any_of(entry.uses.begin(), entry.uses.end(), matches);
  }
  return true;
}

const DatasetEntry* find_dataset(const std::string& id) {
  for (const auto& entry : datasets()) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

}  // namespace maskbench
