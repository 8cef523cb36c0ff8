#include "harness/config/reading.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "harness/base/text.hpp"
#include "harness/config/schema.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/privacy/readings.hpp"

namespace maskbench {
namespace {

const std::vector<std::string> kFields = {"privacy.scope",       "privacy.unit",
                                          "privacy.composition", "privacy.mu",
                                          "privacy.theorem3",    "ldp.leaves"};

using Fields = std::map<std::string, std::string>;

Fields preset(const std::string& name, bool ldp) {
  using namespace privacy;
  if (name == "custom") return {};
  const Preset kind = parse_preset(name);
  const Reading reading = preset_reading(kind, ldp ? Family::ldp : Family::masked);
  const auto text = [](auto value) { return std::string(name_of(value)); };
  return {{"privacy.scope", text(reading.scope)},
          {"privacy.unit", text(reading.unit)},
          {"privacy.composition", text(reading.composition)},
          {"privacy.mu", text(reading.mu)},
          {"privacy.theorem3", text(reading.theorem3)},
          {"ldp.leaves", ldp && preset_leaves(kind) == Leaves::noisy ? "noisy" : "clean"}};
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
