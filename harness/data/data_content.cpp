#include "harness/data/data_content.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/data/data_place.hpp"

namespace maskbench {

std::string content_text(const std::string& source, const std::string& sha256) {
  return source + " " + sha256;
}

std::string file_content(const std::string& path) {
  return content_text("file", sha256_of_file(path));
}

std::string synthetic_content(const SyntheticShape& shape, bool regression) {
  return content_text("synthetic", synthetic_sha256(shape, regression));
}

std::string short_content(const std::string& content) {
  constexpr size_t kDigits = 8;
  const size_t blank = content.find(' ');
  return blank == std::string::npos ? content : content.substr(0, blank + 1 + kDigits);
}

std::string DataContents::of(const DataSpec& spec, bool regression) {
  const std::string path = file_for(spec, data_dir_);
  if (!path.empty()) {
    const auto [known, added] = files_.try_emplace(path);
    if (added) known->second = file_content(path);
    return known->second;
  }
  const auto shape = needs_file(spec) ? std::nullopt : shape_for(spec);
  return shape ? synthetic_content(*shape, regression) : "none";
}

void refuse_other_content(const DataSpec& spec, const std::string& where, const std::string& now) {
  if (spec.content.empty() || spec.content == now) return;
  throw Error(
      fmt::format("{}: the data has changed since this was planned (sha256: {}, now {}); run the "
                  "same command again with --resume, which keeps the runs of unchanged data",
                  where, short_content(spec.content), short_content(now)));
}

}  // namespace maskbench
