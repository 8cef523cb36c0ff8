#include "harness/app/reading.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "harness/app/catalog.hpp"
#include "harness/app/schema.hpp"

namespace maskbench {
namespace {

const std::vector<std::string> kFields = {"privacy.scope",       "privacy.unit",
                                          "privacy.composition", "privacy.mu",
                                          "privacy.theorem3",    "ldp.leaves"};

using Preset = std::map<std::string, std::string>;

Preset preset(const std::string& reading, bool ldp) {
  Preset paper = {{"privacy.scope", "message"},        {"privacy.unit", "record"},
                  {"privacy.composition", "advanced"}, {"privacy.mu", "paper"},
                  {"privacy.theorem3", "printed"},     {"ldp.leaves", "clean"}};
  if (reading == "paper" && ldp) {
    // Not a fair comparison, but the only one whose curves look as the paper describes them.
    paper["privacy.scope"] = "tree";
    paper["ldp.leaves"] = "noisy";
  }
  if (reading == "equal") paper["privacy.scope"] = "tree";
  if (reading == "sound") {
    paper["privacy.scope"] = "training";
    paper["privacy.composition"] = "gdp";
    paper["privacy.mu"] = "label";
    paper["privacy.theorem3"] = "tight";
  }
  return paper;
}

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

std::string custom_name(const RunSpec& spec) {
  std::string out;
  for (const auto& name : kFields) {
    if (!method_uses(spec.method, name)) continue;
    out +=
        fmt::format("{}{}={}", out.empty() ? "" : ",", last_part(name), find_key(name)->get(spec));
  }
  return "custom(" + out + ")";
}

}  // namespace

void resolve_reading(RunSpec& spec, const std::set<std::string>& given) {
  bool departs = spec.privacy.reading == "custom";
  for (const auto& [name, value] :
       preset(spec.privacy.reading, method_uses(spec.method, "ldp.leaves"))) {
    const Key& key = *find_key(name);
    if (!given.contains(name)) {
      set_key(spec, key, value);
    } else if (method_uses(spec.method, name) && key.get(spec) != value) {
      departs = true;
    }
  }
  if (departs) spec.privacy.reading = custom_name(spec);
}

}  // namespace maskbench
