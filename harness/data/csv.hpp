#pragma once

#include <string>
#include <vector>

#include "harness/data/dataset.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

struct CsvOptions {
  bool regression = false;                     // labels are any finite numbers instead of 0 and 1
  bool label_required = true;                  // without a label column the labels are NaN
  std::vector<std::string> text_columns = {};  // categorical even if all cells are numbers
  size_t block_bytes = size_t{1} << 18;        // of text, read and parsed at a time
  std::string label = "label";                 // the label's column, wherever it stands
  std::vector<std::string> drop = {};          // columns to leave out, an id say
  bool named_elsewhere = false;                // of these lists some may be in another party's file
  size_t most_bytes = 0;  // of the table; 0: half of the machine's memory. Gzip hides its size
};

// Reads a .csv or .csv.gz in UTF-8: a header of distinct names, one of them the label's; fields
// as in RFC 4180, where blanks around an unquoted field and blank lines are dropped; an empty field
// is a missing value. A feature is categorical if any of its cells is not a finite decimal number,
// but for a few texts among numbers, which are refused unless text_columns names the feature;
// its codes follow the texts' byte order, so they depend on the set of texts only. Streams: beside
// the result a few blocks of text are held. What is wrong with a file is thrown as one Error
// "path:line:column: what; remedy".
Dataset read_csv(const std::string& path, const CsvOptions& options, ThreadPool& pool);

}  // namespace maskbench
