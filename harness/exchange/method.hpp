#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/exchange/active_side.hpp"
#include "harness/exchange/passive_side.hpp"

namespace maskbench {

// A run of one node: one tree of one level.
struct NodeShape {
  double rows = 0;
  double candidates = 0;  // of PP
  double bins = 0;        // of PP, all features
  double features = 0;    // of PP
};

// What a run's messages can give away to somebody who tells two neighbouring inputs apart.
enum class Evidence { masked_vectors, gradients, labels, buckets };

// A finished training of both parties, for a method's own measures of it.
struct ProbeInput {
  const RunSpec& spec;
  const PartyData& ap;
  std::span<const float> labels;
  const PartyData& pp;
  const Model& model;
  const Notebook& pp_notes;
  uint64_t seed;  // of random initial margins
  ThreadPool& pool;
};

// Everything the rest of the program asks of a method. It stands in the method's own file; the
// catalog lists it.
struct Method {
  std::string id;
  std::string what;
  std::string unavailable = {};  // why it cannot run here; empty: it can
  std::unique_ptr<ActiveSide> (*active)(const ActiveContext&) = nullptr;
  std::unique_ptr<PassiveSide> (*passive)(const PassiveContext&) = nullptr;
  // Keys (or "section.") that change what the method does, beside data, train, attack, seed and
  // backend, which concern all. A key not named here is reset to its default in the method's runs,
  // so that an axis over it gives the method one run, and its cell in the results is empty.
  std::vector<std::string> uses = {};
  // Throws if the run's budget cannot be met, or not be carried by the numbers that are sent, on
  // training rows of this shape; null: there is no budget.
  void (*check_budget)(const RunSpec&, const PartyData& pp) = nullptr;
  bool os_random = false;  // its secrets (keys, blinding) never follow a seed
  std::vector<Evidence> evidence = {};
  // What the training was worth beside the truth: after it, outside the clock; null: nothing.
  std::vector<Metric> (*probe)(const ProbeInput&) = nullptr;
  // Payload bytes of a node before the decision, by our encoding, and as the paper's appendix
  // counts them; null: nothing is sent, or the paper does not say.
  double (*own_bytes)(const RunSpec&, const NodeShape&) = nullptr;
  double (*paper_bytes)(const RunSpec&, const NodeShape&) = nullptr;
  // Seconds a tree, roughly, given those of a clear one; null: the same.
  double (*tree_seconds)(const RunSpec&, const NodeShape&, double clear_tree) = nullptr;
  // Trees that it grows at most; null: all rounds.
  int (*max_trees)(const RunSpec&) = nullptr;

  bool shows(Evidence kind) const {
    return std::find(evidence.begin(), evidence.end(), kind) != evidence.end();
  }
};

template <class Side, class Context, class Base>
std::unique_ptr<Base> make_side(const Context& context) {
  return std::make_unique<Side>(context);
}
template <class Side>
inline constexpr auto active_side = &make_side<Side, ActiveContext, ActiveSide>;
template <class Side>
inline constexpr auto passive_side = &make_side<Side, PassiveContext, PassiveSide>;

}  // namespace maskbench
