#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace maskbench {

// What a config may have at most; far more than any needs.
inline constexpr size_t kMostYamlBytes = size_t{1} << 20;
inline constexpr size_t kMostYamlNodes = 50'000;
inline constexpr size_t kMostYamlDepth = 16;
inline constexpr size_t kMostSettingBytes = size_t{16} << 20;  // what its aliases stand for too

// The one document of a text, or a null node if it is empty. Limits are checked in a first pass
// that builds nothing, as yaml-cpp reads some texts without end ("{a: b},"). `path` begins every
// message; `located` adds the line and the column.
YAML::Node parse_yaml(const std::string& text, const std::string& path, bool located);

}  // namespace maskbench
