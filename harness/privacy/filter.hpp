#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "harness/privacy/ledger.hpp"
#include "harness/privacy/readings.hpp"

// A privacy filter: it hands a training's budget to the levels of its trees as they come, so that
// what is really sent costs the budget in the end, never more. Which nodes there will be is not
// known before; what a level sends is known before it is sent.
namespace maskbench::privacy {

// What a node sends about each of its records, up to a scale that is to be chosen. Gaussians: m of
// each, relative to the largest. Noise vectors of theorem 3: n_A; R is the scale.
using NodeContent = std::map<Mechanism, double>;  // how often

struct FilterPlan {
  Reading reading;  // scope: training
  double eps = 0, delta = 0;
  int rounds = 1, depth = 1;
  double candidates = 0;  // of a node, at most
  NodeContent most;       // what such a node sends
};

// The scale of the messages of one level: the m of its largest Gaussian, or R. A pure function of
// what was sent before (`sent`, of earlier levels alone) and of what the level's nodes will send.
//
// The scale is worked out anew at the first level of some trees and at every level of the last. It
// is the largest with which the past, this level, as much as there can be until it is worked out
// next, and after that what the levels of the last tree sent once more, cost the budget.
double filtered_scale(const FilterPlan& plan, const Ledger& sent, int tree, int level,
                      std::span<const NodeContent> nodes);

// Is the scale worked out anew at this level, not that of the level before once more? At so many
// roots that a quarter of the trees that are left shares one scale at most.
bool is_planned_anew(int tree, int level, int rounds);

}  // namespace maskbench::privacy
