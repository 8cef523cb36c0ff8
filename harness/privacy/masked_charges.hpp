#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/privacy/calibration.hpp"
#include "harness/privacy/ledger.hpp"

// What the messages of masked cost: the same for a run, which prices what it sends, and for
// `maskbench calibrate`, which foresees it.
namespace maskbench::privacy {

struct VectorCharges {
  std::vector<Charge> g, h;
};

// One candidate: <g>_i and, unless the variant is gradient-only, <h>_i from AP. `count` candidates
// of the same sizes at once. A hessian that no neighbour can move (mu: label) costs nothing.
void add_active_charges(const MaskedCalibration& calibration, bool with_hessian, const Where& where,
                        int64_t n_active, int64_t n_inactive, int64_t count,
                        VectorCharges& charges);
// Its B_i from PP.
Charge passive_charge(const MaskedCalibration& calibration, const Where& where, int64_t n_active,
                      int64_t count = 1);

// The candidates of a node fall into a few classes of equal cost (see Ledger): they are counted,
// and each class is charged at once. One for each party.
class CandidateCounts {
 public:
  CandidateCounts(const MaskedCalibration& calibration, Party party);

  void add(const Where& where, int64_t n_active, int64_t n_inactive);

  struct Class {
    Where where;
    int64_t key;
    int64_t n_active, n_inactive;  // of its first candidate
    int64_t count;
  };
  const std::vector<Class>& classes() const { return classes_; }

 private:
  int64_t key_of(int64_t n_active, int64_t n_inactive) const;

  Party party_;
  int64_t saturated_;           // from this n_A on all candidates of PP cost the same
  ScaleSolver agreed_, other_;  // in the run's unit, and in the one that it does not use
  std::vector<Class> classes_;
  size_t node_begin_ = 0;  // of the classes of the node that was added to last
};

VectorCharges active_charges(const MaskedCalibration& calibration, bool with_hessian,
                             const CandidateCounts& counts);
std::vector<Charge> passive_charges(const MaskedCalibration& calibration,
                                    const CandidateCounts& counts);

inline constexpr const char* kReceiverKnowsB =
    "PP drew B itself: given B, <g> = g + Bc fixes g up to W numbers (delta = 1 for every eps)";
inline constexpr const char* kTotalsInClear = "G and H of every node are sent in clear";
inline constexpr const char* kHeadersInClear =
    "n_A of every candidate, which splits nothing and how many there are, are sent in clear";
inline constexpr const char* kDeviation = "a party deviates: eps is that of the protocol agreed on";

// What AP's masked vectors and PP's noise vectors rest on or give away beside their charges.
std::vector<Note> active_notes(const MaskedCalibration& calibration);
std::vector<Note> passive_notes(const MaskedCalibration& calibration);

}  // namespace maskbench::privacy
