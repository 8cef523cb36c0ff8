#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attacks/attack.hpp"
#include "harness/exchange/method.hpp"

namespace maskbench {

// Everything a config can name. To add a method or an attack, add its file and its line here.
struct CatalogEntry {
  std::string id;
  std::string what;
  std::string unavailable;  // why it cannot run here; empty: it can
};

struct AttackEntry : CatalogEntry {
  Attack attack = nullptr;
  Party by = Party::pp;
  std::vector<Kind> reads;  // the large kinds of messages it needs kept
  // Roughly, on masked's messages about a node: `cells` = rows times candidates; null: none. An
  // audit's (without `attack`) are those of any method.
  double (*seconds)(const AttackSpec& spec, double cells) = nullptr;
};

struct DatasetEntry : CatalogEntry {
  int64_t rows = 0;
  int features = 0;
  double positive_rate = 0;
};

const std::vector<Method>& methods();
const std::vector<AttackEntry>& attacks();
const std::vector<DatasetEntry>& datasets();
const std::vector<CatalogEntry>& backends();

const Method& find_method(const std::string& method);
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
