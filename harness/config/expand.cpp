#include "harness/config/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/base/sha256.hpp"
#include "harness/base/text.hpp"
#include "harness/config/reading.hpp"
#include "harness/config/schema.hpp"
#include "harness/judge/catalog.hpp"

namespace maskbench {
namespace {

void reset_unused(RunSpec& spec) {
  for (const auto& key : schema()) {
    const bool of_no_attack = spec.attack.name == "none" && key.name.starts_with("attack.");
    if (of_no_attack || !method_uses(spec.method, key.name)) key.set(spec, default_text(key));
  }
}

std::string group_name(const RunSpec& spec, const std::vector<Axis>& axes, const Variant& variant) {
  std::string out = spec.method + " " + spec.data.dataset;
  if (spec.attack.name != "none") out += " " + spec.attack.name;
  const auto add = [&](const std::string& key) {
    const bool said = key == "method" || key == "data.dataset" || key == "attack.name";
    if (said || key.starts_with("seed") || !method_uses(spec.method, key)) return;
    out += fmt::format(" {}={}", last_part(key), find_key(key)->get(spec));
  };
  for (const auto& axis : axes) add(axis.key);
  for (const auto& setting : variant) add(setting.key);
  return out;
}

class Expander {
 public:
  Expander(const ConfigFile& file, DataContents& contents) : file_(file), contents_(contents) {
    base_.name = file.name;
    for (const auto& setting : file.settings) set(base_, given_, setting);
  }

  std::vector<Job> all() {
    walk(0, base_, given_);
    return std::move(jobs_);
  }

 private:
  static void set(RunSpec& spec, std::set<std::string>& given, const Setting& setting) {
    set_key(spec, *find_key(setting.key), setting.text);
    given.insert(setting.key);
  }

  void walk(size_t depth, const RunSpec& spec, const std::set<std::string>& given) {
    if (depth == file_.axes.size()) return add_variants(spec, given);
    for (const auto& value : file_.axes[depth].values) {
      RunSpec next = spec;
      std::set<std::string> next_given = given;
      set(next, next_given, value);
      walk(depth + 1, next, next_given);
    }
  }

  void add_variants(const RunSpec& spec, const std::set<std::string>& given) {
    if (file_.variants.empty()) return add_repeats(spec, given, {});
    for (const Variant& variant : file_.variants) {
      RunSpec next = spec;
      std::set<std::string> next_given = given;
      for (const Setting& setting : variant) set(next, next_given, setting);
      add_repeats(next, next_given, variant);
    }
  }

  void add_repeats(RunSpec spec, const std::set<std::string>& given, const Variant& variant) {
    resolve_reading(spec, given);
    reset_unused(spec);
    spec.data.content = contents_.of(spec.data, spec.train.is_regression());
    const std::string group = group_name(spec, file_.axes, variant);
    const uint64_t seed = spec.seed;
    for (spec.repeat = 0; spec.repeat < spec.repeats; ++spec.repeat) {
      spec.seed = seed + static_cast<uint64_t>(spec.repeat);
      Job job{spec, run_id(spec), group};
      if (seen_.insert(job.id).second) jobs_.push_back(std::move(job));
    }
  }

  const ConfigFile& file_;
  DataContents& contents_;
  RunSpec base_;
  std::set<std::string> given_;
  std::vector<Job> jobs_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<Job> expand(const ConfigFile& file, DataContents& contents) {
  return Expander(file, contents).all();
}

double combinations(const ConfigFile& file) {
  double runs = static_cast<double>(std::max<size_t>(1, file.variants.size()));
  for (const auto& axis : file.axes) runs *= static_cast<double>(axis.values.size());
  for (const auto& setting : file.settings) {
    if (setting.key == "repeats") runs *= std::atof(setting.text.c_str());
  }
  return runs;
}

std::string canonical_text(const RunSpec& spec) {
  std::map<std::string, std::string> sorted;
  for (const auto& key : schema()) sorted[key.name] = key.get(spec);
  sorted.erase("repeats");
  // Runs from before there was a choice are still the same.
  for (const char* younger : {"noise.generator", "data.label", "data.id", "data.drop"})
    if (sorted[younger] == default_text(*find_key(younger))) sorted.erase(younger);
  sorted["data.content"] = spec.data.content;
  std::string out;
  for (const auto& [name, text] : sorted) out += fmt::format("{}={}\n", name, text);
  return out;
}

std::string run_id(const RunSpec& spec) {
  return sha256_of_text(canonical_text(spec)).substr(0, 16);
}

}  // namespace maskbench
