#include "harness/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/config/expand.hpp"
#include "harness/config/yaml.hpp"
#include "harness/config/yaml_text.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostIncludeDepth = 16;
constexpr double kMostPlanBytes = 0x1p30;  // of the values of all runs

// A pipe (/dev/stdin, <(...)) has none, and is known by the name it was given.
fs::path real_path(const std::string& path) {
  std::error_code none;
  const fs::path real = fs::weakly_canonical(path, none);
  return none ? fs::path(path) : real;
}

template <class T>
auto find_named(std::vector<T>& list, const std::string& key) {
  return std::find_if(list.begin(), list.end(), [&](const T& item) { return item.key == key; });
}

void remove_from_variants(ConfigFile& file, const std::string& key) {
  for (auto& variant : file.variants)
    std::erase_if(variant, [&](const Setting& setting) { return setting.key == key; });
}

// An override of a key that is an axis or stands in variants replaces it there; an axis keeps the
// place of the one before.
void apply(ConfigFile& file, const std::vector<Setting>& settings, const std::vector<Axis>& axes,
           const std::vector<Variant>& variants) {
  for (const auto& setting : settings) {
    std::erase_if(file.axes, [&](const Axis& axis) { return axis.key == setting.key; });
    remove_from_variants(file, setting.key);
    const auto old = find_named(file.settings, setting.key);
    if (old == file.settings.end()) {
      file.settings.push_back(setting);
    } else {
      *old = setting;
    }
  }
  for (const auto& axis : axes) {
    remove_from_variants(file, axis.key);
    const auto old = find_named(file.axes, axis.key);
    if (old == file.axes.end()) {
      file.axes.push_back(axis);
    } else {
      *old = axis;
    }
  }
  if (!variants.empty()) file.variants = variants;
}

size_t bytes_of(const std::vector<Setting>& settings) {
  size_t sum = 0;
  for (const Setting& setting : settings) sum += setting.text.size();
  return sum;
}

// Of the values of one run.
size_t most_bytes(const ConfigFile& file) {
  size_t sum = bytes_of(file.settings), most = 0;
  for (const Axis& axis : file.axes) {
    size_t longest = 0;
    for (const Setting& value : axis.values) longest = std::max(longest, value.text.size());
    sum += longest;
  }
  for (const Variant& variant : file.variants) most = std::max(most, bytes_of(variant));
  return sum + most;
}

class Loader {
 public:
  Loader(const ConfigOptions& options, Plan& plan)
      : options_(options), plan_(plan), contents_(options.data_dir) {
    for (const auto& assignment : options.overrides) {
      ConfigFile one;
      parse_override(assignment, one);
      overrides_.push_back(one);
    }
  }

  void load(const std::string& path) {
    const fs::path real = real_path(path);
    if (!open_.insert(real).second) throw Error(path + ": is included by itself");
    if (open_.size() > kMostIncludeDepth)
      throw Error(fmt::format("{}: included over {} deep", path, kMostIncludeDepth));
    ConfigFile file = parse_config(read_file(path, kMostYamlBytes), path);
    if (plan_.name.empty()) plan_.name = file.name;
    for (const auto& include : file.includes) {
      const auto inner = fs::path(path).parent_path() / include.text;
      if (!fs::exists(inner)) throw Error(include.where + ": no such file: " + inner.string());
      load(inner.string());
    }
    if (file.includes.empty()) add(file);
    open_.erase(real);
  }

 private:
  void add(ConfigFile& file) {
    if (!names_.insert(file.name).second) {
      throw Error(
          fmt::format("{}: another included config is named '{}' too", file.path, file.name));
    }
    if (options_.small) {
      if (!file.has_small) throw Error(file.path + ": has no section 'small' for --scale small");
      apply(file, file.small_settings, file.small_axes, file.small_variants);
    }
    for (const auto& one : overrides_) apply(file, one.settings, one.axes, {});
    check_size(file);
    auto jobs = expand(file, contents_);
    plan_.jobs.insert(plan_.jobs.end(), jobs.begin(), jobs.end());
  }

  // Before equal runs are merged, which nobody can know without expanding.
  void check_size(const ConfigFile& file) const {
    const double runs = static_cast<double>(plan_.jobs.size()) + combinations(file);
    if (runs > static_cast<double>(options_.most_runs))
      throw Error(
          fmt::format("{}: its axes, variants and repeats make {:.6g} runs, over {}; shorten "
                      "them or raise --max-runs",
                      file.path, runs, options_.most_runs));
    const double bytes = runs * static_cast<double>(most_bytes(file));
    if (bytes > kMostPlanBytes)
      throw Error(fmt::format("{}: {:.6g} runs with values of {} bytes each; shorten them",
                              file.path, runs, most_bytes(file)));
  }

  const ConfigOptions& options_;
  Plan& plan_;
  DataContents contents_;
  std::vector<ConfigFile> overrides_;
  std::set<fs::path> open_;
  std::set<std::string> names_;
};

}  // namespace

Plan load_plan(const std::string& path, const ConfigOptions& options) {
  Plan plan;
  Loader(options, plan).load(path);
  return plan;
}

}  // namespace maskbench
