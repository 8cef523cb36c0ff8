#pragma once

#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// Rows that are held out, and the others.
struct Fold {
  std::vector<uint32_t> held_out, rest;
};

// Every row is held out once, in a fold drawn by the key.
std::vector<Fold> folds(size_t rows, uint32_t count, const RandomKey& key);

PartyData rows_of(const PartyData& data, std::span<const uint32_t> rows);
std::vector<float> rows_of(std::span<const float> values, std::span<const uint32_t> rows);

}  // namespace maskbench
