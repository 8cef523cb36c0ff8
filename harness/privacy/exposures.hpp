#pragma once

// What is sent in clear by every method that grows trees together. A run says it in its prices,
// `maskbench calibrate` before a run.
namespace maskbench::privacy {

inline constexpr const char* kChoicesInClear =
    "AP's decisions and the rows of AP's splits, chosen on clean gradients, are sent in clear";
inline constexpr const char* kScoresInClear =
    "the scores of PP's best splits are sent to AP in clear";
inline constexpr const char* kRowSetsInClear =
    "the row sets of PP's winning splits are sent to AP in clear";

}  // namespace maskbench::privacy
