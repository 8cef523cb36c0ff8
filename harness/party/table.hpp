#pragma once

#include <string>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/data/dataset.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// A party's own file. Both parties put their rows in the order of the ids, so that the order of a
// file, which may say something of its rows, is told to nobody.
struct PartyTable {
  Dataset data;
  std::vector<std::string> ids;  // shorter ones first, then by bytes: 9 before 10
};

struct TableOptions {
  Party owner = Party::ap;
  bool regression = false;
  bool label_required = true;                  // AP's file must have one
  std::vector<std::string> text_columns = {};  // categories, even where numbers stand
  bool text_elsewhere = false;                 // some of them may be the other party's
};

// A CSV with a column `id` and, first, AP's column `label`. Throws Error for an id that is missing
// or stands twice.
PartyTable read_table(const std::string& path, const TableOptions& options, ThreadPool& pool);

Dataset select_rows(const Dataset& data, const std::vector<uint32_t>& rows);

}  // namespace maskbench
