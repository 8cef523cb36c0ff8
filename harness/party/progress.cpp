#include "harness/party/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/folder.hpp"
#include "harness/base/sha256.hpp"
#include "harness/party/ledger_io.hpp"

namespace maskbench {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json rule_json(const SplitRule& r) {
  return {r.feature,           r.threshold,     r.missing_left,
          r.candidate.feature, r.candidate.bin, r.candidate.missing_left};
}

SplitRule rule_from(const Json& in) {
  return {in.at(0), in.at(1), in.at(2), {in.at(3), in.at(4), in.at(5)}};
}

Json node_json(const TreeNode& n) {
  return {n.left, n.right, static_cast<int>(n.owner), n.rule, n.gain, n.weight};
}

TreeNode node_from(const Json& in) {
  return {in.at(0), in.at(1), in.at(2).get<int>() == 0 ? Party::ap : Party::pp,
          in.at(3), in.at(4), in.at(5)};
}

std::vector<uint8_t> as_bytes(const std::vector<uint32_t>& values) {
  std::vector<uint8_t> out(values.size() * sizeof(uint32_t));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

std::vector<uint32_t> as_values(const std::vector<uint8_t>& bytes) {
  std::vector<uint32_t> out(bytes.size() / sizeof(uint32_t));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(uint32_t));
  return out;
}

constexpr size_t kSealBytes = 64;

// Behind its own checksum: a changed byte must not become a tree.
std::string sealed_cbor(const Json& json) {
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  const std::string body(bytes.begin(), bytes.end());
  return sha256_of_text(body) + body;
}

// What `take` makes of the file's content.
template <class Take>
auto from_sealed_cbor(const std::string& path, Take take) {
  const std::string text = read_file(path);
  const std::string body = text.substr(std::min(kSealBytes, text.size()));
  if (text.substr(0, kSealBytes) != sha256_of_text(body))
    throw Error(path + ": damaged; train anew without --resume");
  try {
    return take(Json::from_cbor(body));
  } catch (const Json::exception&) {
    throw Error(path + ": of another version of maskbench; train anew without --resume");
  }
}

}  // namespace

std::string Progress::path(int tree) const {
  return fmt::format("{}/tree-{:05}.cbor", dir_, tree);
}

void Progress::write(const std::string& name, const std::string& content) const {
  Folder::made(dir_).write(name, "." + name + ".tmp", content);
}

std::optional<Progress::Run> Progress::run() const {
  const std::string file = dir_ + "/run.cbor";
  if (!fs::exists(file)) return std::nullopt;
  return from_sealed_cbor(file, [](const Json& json) {
    const auto& key = json.at("key");
    const bool is_aes = json.at("generator") == name_of(Generator::aes);
    return Run{json.at("config"),
               json.at("data"),
               PartyKey(key.at(0), key.at(1), is_aes ? Generator::aes : Generator::philox),
               json.at("split_seed"),
               json.at("name"),
               json.at("peer")};
  });
}

void Progress::begin(const Run& run) const {
  remove();
  fs::create_directories(dir_);
  fs::permissions(dir_, fs::perms::owner_all);
  note(run);
}

void Progress::note(const Run& run) const {
  write("run.cbor", sealed_cbor({{"config", run.config},
                                 {"data", run.data_sha256},
                                 {"key", {run.key.low(), run.key.high()}},
                                 {"generator", name_of(run.key.generator())},
                                 {"split_seed", run.split_seed},
                                 {"name", run.name},
                                 {"peer", run.peer}}));
}

int Progress::trees() const {
  int trees = 0;
  while (fs::exists(path(trees))) ++trees;
  return trees;
}

Progress::Kept Progress::load(int tree, privacy::Unit unit) const {
  return from_sealed_cbor(path(tree), [unit](const Json& json) {
    Kept out{{}, ledger_from_json(json.at("ledger"), unit), {}};
    for (const Json& node : json.at("nodes")) out.tree.tree.nodes.push_back(node_from(node));
    for (const Json& rule : json.at("rules")) out.tree.rules.push_back(rule_from(rule));
    out.tree.leaf_of_row = as_values(json.at("leaves").get_binary());
    out.counts = {json.at("bytes").get<ByKind>(), json.at("messages").get<ByKind>()};
    return out;
  });
}

void Progress::keep(int tree, const PastTree& past, const privacy::Ledger& all,
                    const Tape::Counts& counts) const {
  Json nodes = Json::array(), rules = Json::array();
  for (const TreeNode& node : past.tree.nodes) nodes.push_back(node_json(node));
  for (const SplitRule& rule : past.rules) rules.push_back(rule_json(rule));
  const Json json = {{"nodes", std::move(nodes)},
                     {"rules", std::move(rules)},
                     {"leaves", Json::binary(as_bytes(past.leaf_of_row))},
                     {"ledger", ledger_json(all, tree)},
                     {"bytes", counts.bytes},
                     {"messages", counts.messages}};
  write(fs::path(path(tree)).filename(), sealed_cbor(json));
}

void Progress::remove() const {
  fs::remove(dir_ + "/run.cbor");  // first: without it the rest is nothing
  fs::remove_all(dir_);
}

}  // namespace maskbench
