#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maskbench {

// One feature. Missing values are NaN; a categorical feature holds category codes 0, 1, ...
struct Column {
  std::string name;
  std::vector<float> values;
  std::vector<std::string> categories;  // name of each code; empty for a numeric feature

  bool is_categorical() const { return !categories.empty(); }
};

// A table of n aligned rows. Labels are 0/1 for classification, any finite number for regression.
struct Dataset {
  std::string name;
  std::string source;  // "file" or "synthetic"
  std::string path;    // where it was read; empty if synthetic
  std::string sha256;  // of the file as it lies on disk; of the generator's parameters if synthetic
  std::vector<float> labels;
  std::vector<Column> features;

  size_t rows() const { return labels.size(); }
};

}  // namespace maskbench
