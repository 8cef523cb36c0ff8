#include "harness/judge/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "attacks/attacks.hpp"
#include "baselines/methods.hpp"
#include "harness/base/error.hpp"
#include "harness/data/synthetic.hpp"
#include "harness/masked/masked.hpp"
#include "kernels/backend.hpp"

namespace maskbench {
namespace {

bool covers(const std::string& pattern, const std::string& key) {
  return pattern == key || (pattern.back() == '.' && key.starts_with(pattern));
}

double reading_seconds(const AttackSpec&, double cells) {
  return 1e-8 * cells;
}

double residue_seconds(const AttackSpec&, double cells) {
  return 7e-5 * cells;
}

double searching_seconds(const AttackSpec&, double cells) {
  return 3e-7 * cells;
}

// With a penalty in the loss it stops sooner than with decay.
double network_seconds(const AttackSpec& spec, double) {
  return 2e-4 * static_cast<double>(spec.train_rows);
}

double decay_seconds(const AttackSpec& spec, double) {
  return 4.5e-4 * static_cast<double>(spec.train_rows);
}

double likelihood_seconds(const AttackSpec& spec, double cells) {
  const double levels = std::log2(1.0 + static_cast<double>(spec.nodes));
  return 3e-6 * cells * static_cast<double>(spec.trees) * levels;
}

double audit_seconds(const AttackSpec& spec, double) {
  return 1e-4 * static_cast<double>(spec.trials);
}

// Two neighbours for each party, that many trainings each.
double transcript_seconds(const AttackSpec& spec, double) {
  return 2e-3 * static_cast<double>(spec.trials);
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> list = {
      nonprivate_method(), local_method(),        random_split_method(), masked_method(),
      xgb_ldp_method(),    fedxgb_ldp_method(),   federboost_method(),   paillier_method(),
      label_rr_method(),   bilateral_rr_method(), smm_method(),          late_fusion_method(),
      opboost_method(),
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
       {noise, masked},
       network_seconds},
      {{"label-nn-decay", "PP on labels: the same network, L2 as decoupled weight decay",
        label_nn_missing()},
       label_nn_decay,
       Party::pp,
       {noise, masked},
       decay_seconds},
      {{"label-subspace", "PP on labels: projects its own noise out of the masked gradients", ""},
       label_subspace,
       Party::pp,
       {noise, masked},
       reading_seconds},
      {{"label-average", "PP on labels: averages the copies of g that it was sent", ""},
       label_average,
       Party::pp,
       {noise, masked, gradients},
       reading_seconds},
      {{"label-residue", "anybody on labels: residues of one <g>, if noise has a grid of its own",
        ""},
       label_residue,
       Party::pp,
       {noise, masked},
       residue_seconds},
      {{"leaf", "PP on labels: from tree structure, G and H alone", ""},
       leaf,
       Party::pp,
       {},
       reading_seconds},
      {{"attribute-minsum", "AP on splitting vectors: the paper's smallest absolute sum", ""},
       attribute_minsum,
       Party::ap,
       {noise},
       searching_seconds},
      {{"attribute-likelihood", "AP on splitting vectors: the Gaussian likelihood of B", ""},
       attribute_likelihood,
       Party::ap,
       {noise, buckets, matrices},
       likelihood_seconds},
      {{"attribute-sums", "AP on splitting vectors: solves the sums that it decrypts", ""},
       attribute_sums,
       Party::ap,
       {gradients},
       reading_seconds},
      {{"audit", "both: two neighbouring inputs told apart by trial; a lower bound on eps", ""},
       nullptr,
       Party::pp,
       {},
       audit_seconds},
      {{"transcript", "both: whole trainings on neighbouring data told apart by all that crossed",
        ""},
       nullptr,
       Party::pp,
       {},
       transcript_seconds},
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

const Method& find_method(const std::string& method) {
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
                                                  "backend", "repeats", "seed",    "seeds."};
  const auto matches = [&](const std::string& pattern) { return covers(pattern, key); };
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
