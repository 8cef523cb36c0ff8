#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attacks/attack.hpp"
#include "harness/core/protocol.hpp"

namespace maskbench {

// Everything a config can name. To add a method or an attack, add its file and its line here.
struct CatalogEntry {
  std::string id;
  std::string what;
  std::string unavailable;  // why it cannot run here; empty: it can
};

struct MethodEntry : CatalogEntry {
  MethodFactory factory = nullptr;
  // Keys (or "section.") that change what the method does, beside data, train, attack, seed and
  // backend, which concern all. A key not named here is reset to its default in the method's runs,
  // so that an axis over it gives the method one run, and its cell in the results is empty.
  std::vector<std::string> uses;
  bool os_random = false;  // its secrets (keys, blinding) never follow a seed
};

struct AttackEntry : CatalogEntry {
  Attack attack = nullptr;
  Party by = Party::pp;
  std::vector<Kind> reads;  // the large kinds of messages it needs kept
};

struct DatasetEntry : CatalogEntry {
  int64_t rows = 0;
  int features = 0;
  double positive_rate = 0;
};

const std::vector<MethodEntry>& methods();
const std::vector<AttackEntry>& attacks();
const std::vector<DatasetEntry>& datasets();
const std::vector<CatalogEntry>& backends();

const MethodEntry& find_method(const std::string& method);
const AttackEntry& find_attack(const std::string& attack);
bool method_uses(const std::string& method, const std::string& key);
const DatasetEntry* find_dataset(const std::string& id);  // nullptr: not one of ours

template <class Entry>
std::vector<std::string> ids(const std::vector<Entry>& entries) {
  std::vector<std::string> out;
  for (const auto& entry : entries) out.push_back(entry.id);
  return out;
}

}  // namespace maskbench
