#pragma once

#include <string>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/base/spec.hpp"
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
  bool label_required = true;  // AP's file must have one
  // Of these lists some columns may be the other party's.
  std::vector<std::string> text_columns = {};  // categories, even where numbers stand
  std::string label = "label";                 // the columns' names
  std::string id = "id";
  std::vector<std::string> drop = {};  // columns to leave out
};

// The names of columns that a config gives.
TableOptions table_options(Party owner, const DataSpec& data);

// A CSV with a column of ids and, if AP's, one of labels. Throws Error for an id that is missing
// or stands twice.
PartyTable read_table(const std::string& path, const TableOptions& options, ThreadPool& pool);

Dataset select_rows(const Dataset& data, const std::vector<uint32_t>& rows);

}  // namespace maskbench
