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
  bool text_elsewhere = false;                 // some of them may be in another party's file
  size_t block_bytes = size_t{1} << 18;        // of text, read and parsed at a time
};

// Reads a .csv or .csv.gz in UTF-8: a header of distinct names, the first of them `label`; fields
// as in RFC 4180, where blanks around an unquoted field and blank lines are dropped; an empty field
// is a missing value. A feature is categorical if any of its cells is not a finite decimal number,
// but for a few texts among numbers, which are refused unless text_columns names the feature;
// its codes follow the texts' byte order, so they depend on the set of texts only. Streams: beside
// the result a few blocks of text are held. What is wrong with a file is thrown as one Error
// "path:line:column: what; remedy".
Dataset read_csv(const std::string& path, const CsvOptions& options, ThreadPool& pool);

}  // namespace maskbench
