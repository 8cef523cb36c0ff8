#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maskbench {

// Candidates of one feature are nested: every row has one bin (or is missing), and it decides all
// the feature's bits at once. A group's categories are its bins, as far as candidates tell them
// apart; `active[c][k]`: is category k active in the group's candidate c?
struct NestedGroup {
  std::vector<size_t> candidates;  // places in the list that was grouped
  std::vector<std::vector<uint8_t>> active;
  std::vector<float> log_prior;  // of the categories

  // In: each candidate's evidence on a row's bit. Out: the bit's log odds given all of them.
  void posterior(std::span<const float> evidence, std::span<float> log_odds) const;
};

// Groups candidates (in PP's order) by their n_A alone, as AP must: within a feature n_A rises; in
// one with missing values every cut comes twice, without and with the missing rows, always the same
// number more.
std::vector<NestedGroup> nested_groups(std::span<const uint32_t> active, size_t rows);

}  // namespace maskbench
