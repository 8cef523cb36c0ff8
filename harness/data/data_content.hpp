#pragma once

#include <map>
#include <string>

#include "harness/base/spec.hpp"
#include "harness/data/synthetic.hpp"

namespace maskbench {

// What data is, in a line: "file SHA256", "synthetic SHA256" (of the generator's parameters), or
// "none" if there is no such data.
std::string content_text(const std::string& source, const std::string& sha256);
std::string file_content(const std::string& path);
std::string synthetic_content(const SyntheticShape& shape, bool regression);
std::string short_content(const std::string& content);  // the first digits are enough for people

// What load_data will load, without loading it; a file that many specs name is hashed once.
class DataContents {
 public:
  explicit DataContents(std::string data_dir) : data_dir_(std::move(data_dir)) {}
  std::string of(const DataSpec& spec, bool regression);

 private:
  std::string data_dir_;
  std::map<std::string, std::string> files_;
};

// Throws if the spec was made for other data than what is there now.
void refuse_other_content(const DataSpec& spec, const std::string& where, const std::string& now);

}  // namespace maskbench
