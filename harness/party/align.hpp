#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/exchange/channel.hpp"

namespace maskbench {

// Both hold the same rows, or both throw an Error that names how many the other lacks and the first
// of them that is one's own. What crosses are keyed hashes of AP's ids under a key of this
// connection: somebody who can guess an id can still test the guess (no private set intersection).
// `ids` in the order of read_table.
void align_as_active(Channel& channel, const std::vector<std::string>& ids);
void align_as_passive(Channel& channel, const std::vector<std::string>& ids);

// Which rows train and which test, as AP drew them.
struct RowLists {
  std::vector<uint32_t> train, test;
};
void send_rows(Channel& channel, const RowLists& rows);
RowLists receive_rows(Channel& channel, size_t rows);

}  // namespace maskbench
