#pragma once

#include <string>
#include <vector>

namespace maskbench {

// A key and its text, with where it was written ("file:line:col" or "--set") for messages.
struct Setting {
  std::string key;
  std::string text;
  std::string where;
};

struct Axis {
  std::string key;
  std::vector<Setting> values;
};

// Settings that go together: one of several ways to run everything else.
using Variant = std::vector<Setting>;

// One YAML file, checked against the schema but not yet expanded.
struct ConfigFile {
  std::string path;
  std::string name;
  std::vector<Setting> settings;
  std::vector<Axis> axes;
  std::vector<Variant> variants;
  std::vector<Setting> small_settings;
  std::vector<Axis> small_axes;
  std::vector<Variant> small_variants;
  bool has_small = false;
  std::vector<Setting> includes;  // text: the path as written
};

// Throws Error with "path:line:col: ..." for everything that is not as it must be.
ConfigFile parse_config(const std::string& text, const std::string& path);

// key=value, or key=[v1, v2] for an axis, as given to --set; fills settings or axes of `out`.
void parse_override(const std::string& assignment, ConfigFile& out);

}  // namespace maskbench
