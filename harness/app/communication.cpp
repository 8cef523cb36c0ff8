#include "harness/app/communication.hpp"

namespace maskbench {

namespace {

struct NodeShape {
  double n;         // rows
  double l;         // PP's candidates
  double bins;      // of PP, all features
  double features;  // of PP
};

// What the appendix says: 2n + l values, (lW + 2l) n + l values, (2n + 2l) ciphertexts.
double paper_bytes(const RunSpec& spec, const NodeShape& s) {
  const double ciphertext = 2.0 * spec.paillier.key_bits / 8;
  if (spec.method == "masked") return 8 * ((s.l * spec.privacy.W + 2 * s.l) * s.n + s.l);
  if (spec.method == "paillier") return ciphertext * (2 * s.n + 2 * s.l);
  if (spec.method == "federboost") return 8 * s.n * s.features;
  return 8 * (2 * s.n + s.l);
}

// What docs/protocol.md says of the messages before the decision.
double own_bytes(const RunSpec& spec, const NodeShape& s) {
  const double ciphertext = 2.0 * spec.paillier.key_bits / 8;
  const double sums_per_ciphertext = 26;
  if (spec.method == "masked") {
    const double vectors = spec.train.gbdt ? 1 : 2;
    return (4 * spec.privacy.W + 8 * vectors) * s.n * s.l + 12 * s.l;
  }
  if (spec.method == "paillier") return ciphertext * (s.n + s.bins / sums_per_ciphertext);
  if (spec.method == "smm") return 8 * s.n * (spec.smm.rank + s.l);
  if (spec.method == "federboost" || spec.method == "bilateral-rr") return s.n * s.features;
  if (spec.method == "label-rr") return s.n;
  if (spec.method == "random-split") return s.n / 8;
  return spec.method == "local" ? 0 : 8 * s.n;
}

}  // namespace

std::vector<Metric> communication_metrics(const RunSpec& spec, const PartyData& pp) {
  if (spec.train.rounds != 1 || spec.train.max_depth != 1) return {};
  const NodeShape shape{
      static_cast<double>(pp.bins.rows), static_cast<double>(candidates_of(pp.cuts).size()),
      static_cast<double>(pp.offsets.back()), static_cast<double>(pp.cuts.size())};
  const bool in_paper = spec.method == "masked" || spec.method == "paillier" ||
                        spec.method == "xgb-ldp" || spec.method == "fedxgb-ldp" ||
                        spec.method == "federboost";
  std::vector<Metric> out = {{"wire_own_formula_bytes", own_bytes(spec, shape), "bytes"},
                             {"wire_candidates", shape.l, ""}};
  if (in_paper) out.push_back({"wire_formula_bytes", paper_bytes(spec, shape), "bytes"});
  return out;
}

}  // namespace maskbench
