#pragma once

#include <cstdint>
#include <vector>

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
