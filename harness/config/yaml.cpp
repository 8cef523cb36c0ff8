#include "harness/config/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
#include "harness/config/schema.hpp"
#include "harness/config/yaml_text.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

// Where the keys of one mapping go: the config's own, or those of its section `small`.
struct Target {
  std::vector<Setting>& settings;
  std::vector<Axis>& axes;
  std::vector<Variant>& variants;
  std::map<std::string, std::string> seen;  // key -> where
};

class Parser {
 public:
  // `located`: places in messages have a line and a column.
  Parser(std::string path, bool located, ConfigFile& out)
      : path_(std::move(path)), located_(located), out_(out) {}

  void document(const YAML::Node& root) {
    if (!root.IsMap()) fail(root, "expected keys such as 'method: masked'");
    Target own{out_.settings, out_.axes, out_.variants, {}};
    for (const auto& entry : root) top_entry(entry.first, entry.second, own);
    if (!out_.includes.empty()) only_includes(own);
  }

  void add_setting(const std::string& name, const YAML::Node& key_node, const YAML::Node& value,
                   Target& target) {
    const Key* key = find_key(name);
    if (!key) fail(key_node, unknown_key(name));
    remember(key->name, key_node, target.seen);
    target.settings.push_back(checked(*key, value));
  }

  void add_axis(const std::string& name, const YAML::Node& key_node, const YAML::Node& value,
                Target& target) {
    const Key* key = find_key(name);
    if (!key) fail(key_node, "axes: " + unknown_key(name));
    if (key->name == "repeats") fail(key_node, "axes: repeats cannot be an axis");
    if (!value.IsSequence()) {
      fail(value.IsNull() ? key_node : value,
           fmt::format("axes: {} needs a list, e.g. [1, 2]", name));
    }
    if (value.size() == 0) fail(value, fmt::format("axes: {} is an empty list", name));
    remember("axes." + key->name, key_node, target.seen);
    Axis axis{key->name, {}};
    for (const auto& item : value) axis.values.push_back(checked(*key, item));
    target.axes.push_back(std::move(axis));
  }

 private:
  std::string where(const YAML::Mark& mark) const {
    if (!located_ || mark.is_null()) return path_;
    return fmt::format("{}:{}:{}", path_, mark.line + 1, mark.column + 1);
  }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& message) const {
    throw Error(where(at.Mark()) + ": " + message);
  }

  void top_entry(const YAML::Node& key, const YAML::Node& value, Target& own) {
    const std::string name = scalar_key(key);
    if (name == "name") {
      remember(name, key, own.seen);
      set_name(value);
    } else if (name == "include") {
      remember(name, key, own.seen);
      set_includes(value);
    } else if (name == "small") {
      remember(name, key, own.seen);
      set_small(value);
    } else {
      entry(name, key, value, own);
    }
  }

  void entry(const std::string& name, const YAML::Node& key, const YAML::Node& value,
             Target& target) {
    if (name == "axes") {
      remember(name, key, target.seen);
      if (!value.IsMap()) fail(key, "axes: expected keys with lists, e.g. privacy.eps_ap: [1, 2]");
      for (const auto& axis : value)
        add_axis(scalar_key(axis.first), axis.first, axis.second, target);
    } else if (name == "variants") {
      remember(name, key, target.seen);
      if (!value.IsSequence() || value.size() == 0)
        fail(key, "variants: expected a list of {key: value, ...}, one for each way to run");
      for (const auto& variant : value) add_variant(variant, target);
    } else if (value.IsMap() && is_section(name)) {
      for (const auto& inner : value) {
        add_setting(name + "." + scalar_key(inner.first), inner.first, inner.second, target);
      }
    } else if (is_section(name) && !find_key(name)) {
      fail(key, fmt::format("'{0}' is a section: write {0}: {{key: value}}", name));
    } else {
      add_setting(name, key, value, target);
    }
  }

  void add_variant(const YAML::Node& variant, Target& target) {
    if (!variant.IsMap())
      fail(variant, "variants: each is a mapping {key: value, ...}; {} is the config as it stands");
    Variant settings;
    std::vector<Axis> no_axes;
    std::vector<Variant> no_variants;
    Target own{settings, no_axes, no_variants, {}};
    for (const auto& inner : variant) {
      const std::string name = scalar_key(inner.first);
      if (name == "repeats") fail(inner.first, "variants: repeats is the same for all");
      entry(name, inner.first, inner.second, own);
    }
    if (!no_axes.empty() || !no_variants.empty())
      fail(variant, "variants: only keys, no axes or variants");
    target.variants.push_back(std::move(settings));
  }

  void set_name(const YAML::Node& value) {
    const std::string name = value.IsScalar() ? value.Scalar() : "";
    if (!is_plain_name(name)) fail(value, "name must consist of letters, digits, '-', '_' and '.'");
    out_.name = name;
  }

  void set_includes(const YAML::Node& value) {
    if (!value.IsSequence() || value.size() == 0) fail(value, "include needs a list of files");
    for (const auto& item : value) {
      if (!item.IsScalar()) fail(item, "include needs a list of files");
      out_.includes.push_back({"include", item.Scalar(), where(item.Mark())});
    }
  }

  void set_small(const YAML::Node& value) {
    if (!value.IsMap()) fail(value, "'small' is a section of keys that --scale small sets");
    out_.has_small = true;
    Target target{out_.small_settings, out_.small_axes, out_.small_variants, {}};
    for (const auto& inner : value)
      entry(scalar_key(inner.first), inner.first, inner.second, target);
  }

  void only_includes(const Target& own) const {
    for (const auto& [key, place] : own.seen) {
      if (key == "name" || key == "include") continue;
      throw Error(
          fmt::format("{}: '{}' beside 'include': put it into the included files", place, key));
    }
  }

  std::string scalar_key(const YAML::Node& node) const {
    if (!node.IsScalar()) fail(node, "a key must be a word");
    return node.Scalar();
  }

  void remember(const std::string& key, const YAML::Node& node,
                std::map<std::string, std::string>& seen) const {
    const auto [first, added] = seen.emplace(key, where(node.Mark()));
    if (!added) fail(node, fmt::format("duplicate key '{}', first at {}", key, first->second));
  }

  Setting checked(const Key& key, const YAML::Node& value) const {
    if (value.IsMap() || (value.IsSequence() && !key.is_list)) {
      fail(value,
           fmt::format("{} takes one value: {}{}", key.name, key.allowed,
                       value.IsMap() ? "" : "; a list of values to try belongs under 'axes'"));
    }
    Setting setting{key.name, text(value), where(value.Mark())};
    bytes_ += setting.text.size() + setting.where.size();
    if (bytes_ > kMostSettingBytes)
      fail(value, fmt::format("values of over {} bytes, aliases counted as what they stand for",
                              kMostSettingBytes));
    RunSpec scratch;
    try {
      set_key(scratch, key, setting.text);
    } catch (const Error& error) {
      throw Error(setting.where + ": " + error.what());
    }
    return setting;
  }

  std::string text(const YAML::Node& value) const {
    if (value.IsScalar()) return value.Scalar();
    auto list = nlohmann::json::array();
    for (const auto& item : value) {
      if (!item.IsScalar() || !is_utf8(item.Scalar())) fail(item, "expected a word");
      list.push_back(item.Scalar());
    }
    return value.IsNull() ? "" : list.dump();
  }

  std::string path_;
  bool located_;
  ConfigFile& out_;
  mutable size_t bytes_ = 0;  // of the values so far
};

bool is_of_files_only(std::string_view name) {
  return name == "name" || name == "include" || name == "axes" || name == "variants" ||
         name == "small" || is_section(std::string(name));
}

}  // namespace

ConfigFile parse_config(const std::string& text, const std::string& path) {
  ConfigFile out;
  out.path = path;
  out.name = std::filesystem::path(path).stem().string();
  const YAML::Node root = parse_yaml(text, path, true);
  if (root.IsNull()) throw Error(path + ": the config is empty");
  Parser(path, true, out).document(root);
  if (!is_plain_name(out.name))
    throw Error(path +
                ": a file of this name needs a key 'name' of letters, digits, '-', '_', '.'");
  return out;
}

void parse_override(const std::string& assignment, ConfigFile& out) {
  const auto equals = assignment.find('=');
  const std::string place = "--set " + assignment;
  if (equals == std::string::npos) throw Error(place + ": write it as key=value");
  const std::string name = assignment.substr(0, equals);
  const Key* key = find_key(name);
  if (!key && is_of_files_only(name))
    throw Error(fmt::format("{}: '{}' can only be written in the config", place, name));
  if (!key) throw Error(place + ": " + unknown_key(name));
  const YAML::Node value = parse_yaml(assignment.substr(equals + 1), place, false);
  Parser parser(place, false, out);
  Target target{out.settings, out.axes, out.variants, {}};
  if (value.IsSequence() && !key->is_list) {
    parser.add_axis(name, YAML::Node(), value, target);
  } else {
    parser.add_setting(name, YAML::Node(), value, target);
  }
}

}  // namespace maskbench
