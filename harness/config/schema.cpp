#include "harness/config/schema.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/config/schema_keys.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

std::string section_of(const std::string& key) {
  const auto dot = key.find('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::set<std::string> sections() {
  std::set<std::string> out;
  for (const auto& key : schema()) out.insert(section_of(key.name));
  out.erase("");
  return out;
}

}  // namespace

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = schema_keys();
  return keys;
}

std::string full_key(const std::string& name) {
  return name == "attack" ? "attack.name" : name;
}

const Key* find_key(const std::string& name) {
  static const auto index = [] {
    std::map<std::string, const Key*> out;
    for (const auto& key : schema()) out[key.name] = &key;
    return out;
  }();
  const auto found = index.find(full_key(name));
  return found == index.end() ? nullptr : found->second;
}

bool is_section(const std::string& name) {
  static const auto all = sections();
  return all.contains(name);
}

const std::string& default_text(const Key& key) {
  static const auto defaults = [] {
    std::map<std::string, std::string> out;
    for (const auto& each : schema()) out[each.name] = each.get(RunSpec{});
    return out;
  }();
  return defaults.at(key.name);
}

std::string unknown_key(const std::string& name) {
  static const auto candidates = [] {
    std::vector<std::string> out = {"name", "axes", "include", "small"};
    for (const auto& section : sections()) out.push_back(section);
    for (const auto& key : schema()) out.push_back(key.name);
    return out;
  }();
  return fmt::format("unknown key '{}'{}", printable(name), did_you_mean(name, candidates));
}

void set_key(RunSpec& spec, const Key& key, const std::string& text) {
  if (key.set(spec, text)) return;
  throw Error(fmt::format("{} must be {}, not '{}'{}", key.name, key.allowed, printable(text),
                          did_you_mean(text, key.choices)));
}

}  // namespace maskbench
