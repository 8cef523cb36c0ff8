#include "harness/sweep/planned_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/base/text.hpp"
#include "harness/data/data_content.hpp"

namespace maskbench {
namespace {

using nlohmann::json;

std::string short_text(const std::set<std::string>& contents) {
  std::vector<std::string> parts;
  for (const auto& content : contents) parts.push_back(short_content(content));
  return join(parts, " and ");
}

}  // namespace

PlannedData planned_data(const std::vector<Job>& jobs) {
  PlannedData out;
  for (const auto& job : jobs) {
    const std::string& content = job.spec.data.content;
    // The generator's parameters are settings: another number of rows is another config.
    const bool synthetic = content.starts_with("synthetic ");
    out[{job.spec.name, job.spec.data.dataset}].insert(synthetic ? "synthetic" : content);
  }
  return out;
}

json as_json(const PlannedData& data) {
  json list = json::array();
  for (const auto& [key, contents] : data) {
    list.push_back({{"config", key.first}, {"dataset", key.second}, {"content", contents}});
  }
  return list;
}

PlannedData planned_data_of(const json& list) {
  PlannedData out;
  for (const auto& item : list) {
    item.at("content").get_to(out[{item.at("config"), item.at("dataset")}]);
  }
  return out;
}

std::string changed_data(const PlannedData& old, const PlannedData& now, const char* between) {
  std::set<std::string> parts;  // several configs may say the same
  for (const auto& [key, contents] : now) {
    const auto before = old.find(key);
    if (before == old.end() || before->second == contents) continue;
    parts.insert(fmt::format("{}: {}{}{}", key.second, short_text(before->second), between,
                             short_text(contents)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace maskbench
