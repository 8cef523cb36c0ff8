#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/data/binning.hpp"
#include "harness/data/candidate.hpp"
#include "kernels/candidates.hpp"
#include "kernels/histogram.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// One party's features of the training rows.
struct PartyData {
  std::vector<std::string> names;
  std::vector<FeatureCuts> cuts;
  BinnedMatrix bins;
  std::vector<uint32_t> offsets;      // of each feature's bins in a histogram, see histogram_rows
  std::vector<FeatureBins> layout;    // the same with the candidates' numbers
  std::vector<Candidate> candidates;  // by number, see candidates_of

  PartyData() = default;
  PartyData(std::vector<std::string> names, std::vector<FeatureCuts> cuts, BinnedMatrix bins);

  kernels::BinMatrix matrix() const { return {bins.bins, static_cast<size_t>(bins.features)}; }
  SplitRule rule(const Candidate& candidate) const;
};

// Does a row with this bin go left?
inline bool goes_left(const Candidate& candidate, int missing_bin, uint8_t bin) {
  return bin == missing_bin ? candidate.missing_left : bin <= candidate.bin;
}

// All candidate splits of a party, in the order in which they are searched: ties go to the first.
// A feature with missing values has each cut in both directions, and "any value" against missing.
std::vector<Candidate> candidates_of(const std::vector<FeatureCuts>& cuts);

// The splitting vector m of a candidate over a node's rows, into bit_words(rows.size()) words.
void splitting_bits(const PartyData& data, const Candidate& candidate,
                    std::span<const uint32_t> rows, std::span<uint64_t> bits);

struct Route {
  Candidate candidate;
  std::span<const uint32_t> rows;
};

// The splitting vectors of several nodes, one after the other, each from a new word on.
RowBits route_rows(const PartyData& data, std::span<const Route> routes, ThreadPool& pool);

}  // namespace maskbench
