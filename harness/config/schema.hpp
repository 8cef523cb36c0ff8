#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/spec.hpp"

namespace maskbench {

// One dotted key of a RunSpec. The YAML, --set, axes, hash, rows and help all go through it.
struct Key {
  std::string name;
  std::string help;
  std::string allowed;               // "a whole number from 1 to 10", "one of a, b"
  std::vector<std::string> choices;  // of a key with a fixed set of values
  bool is_list = false;              // its text is a JSON array or words between commas
  std::function<std::string(const RunSpec&)> get;
  std::function<bool(RunSpec&, const std::string&)> set;  // false: not an allowed value
};

const std::vector<Key>& schema();

// 'attack' stands for 'attack.name'.
std::string full_key(const std::string& name);
const Key* find_key(const std::string& name);  // nullptr: no such key
bool is_section(const std::string& name);
const std::string& default_text(const Key& key);

// "unknown key 'train.roundz'; did you mean 'train.rounds'?"
std::string unknown_key(const std::string& name);

// Throws Error("train.rounds must be ..., not 'x'").
void set_key(RunSpec& spec, const Key& key, const std::string& text);

}  // namespace maskbench
