#include "harness/party/align.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {

namespace {

constexpr size_t kKeyBytes = 32;
constexpr const char* kHashes =
    "keyed hashes of AP's ids: who can guess an id can test whether AP has it";
constexpr const char* kVerdict = "how many rows the parties share, and which of AP's are missing";

// 128 bits of the keyed hash.
using IdHash = std::array<uint64_t, 2>;

std::vector<uint64_t> hashes_of(const std::vector<std::string>& ids,
                                const std::vector<uint8_t>& key) {
  std::vector<uint64_t> out(2 * ids.size());
  for (size_t k = 0; k < ids.size(); ++k) {
    const auto hash = keyed_hash(key, ids[k]);
    std::memcpy(&out[2 * k], hash.data(), sizeof(IdHash));
  }
  return out;
}

struct HashOf {
  size_t operator()(const IdHash& hash) const { return hash[0]; }
};

// The rows of `these` that `those` lacks: how many, and the first.
struct Missing {
  uint64_t count = 0;
  uint64_t first = 0;
};

Missing missing_from(const std::vector<uint64_t>& these, const std::vector<uint64_t>& those) {
  std::unordered_map<IdHash, bool, HashOf> known;
  for (size_t k = 0; k + 1 < those.size(); k += 2) known[{those[k], those[k + 1]}] = true;
  Missing out;
  for (size_t k = 0; k + 1 < these.size(); k += 2) {
    if (known.contains({these[k], these[k + 1]})) continue;
    if (out.count++ == 0) out.first = k / 2;
  }
  return out;
}

[[noreturn]] void fail(Party me, const std::vector<std::string>& ids, const Missing& at_peer,
                       uint64_t missing_here) {
  const auto peer = name_of(other(me));
  std::string text = fmt::format("the parties' rows differ: {} lacks {} of {}'s {}", peer,
                                 at_peer.count, name_of(me), ids.size());
  if (at_peer.count > 0)
    text += fmt::format(", the first with id '{}'", printable(ids.at(at_peer.first)));
  throw Error(text + fmt::format("; {} lacks {} of {}'s", name_of(me), missing_here, peer));
}

}  // namespace

void align_as_active(Channel& channel, const std::vector<std::string>& ids) {
  std::vector<uint8_t> key(kKeyBytes);
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    throw Error("the system gives no random bytes");
  std::vector<uint64_t> hashes = hashes_of(ids, key);
  channel.send(Kind::setup, {}, std::move(key), Price::not_personal("a key of this connection"));
  channel.send(Kind::setup, {}, std::move(hashes), Price::exposed(kHashes));
  const auto verdict = channel.receive<uint64_t>(Kind::setup);
  expect_count(Kind::setup, verdict.size(), 3);
  if (verdict[0] > 0 && verdict[1] >= ids.size())
    throw ProtocolError("PP lacks a row that is none of AP's");
  if (verdict[0] > 0 || verdict[2] > 0)  // their sum might wrap
    fail(Party::ap, ids, {verdict[0], verdict[1]}, verdict[2]);
}

void align_as_passive(Channel& channel, const std::vector<std::string>& ids) {
  const auto key = channel.receive<uint8_t>(Kind::setup);
  expect_count(Kind::setup, key.size(), kKeyBytes);
  const auto theirs = channel.receive<uint64_t>(Kind::setup);
  const std::vector<uint64_t> mine = hashes_of(ids, key);
  const Missing here = missing_from(theirs, mine), there = missing_from(mine, theirs);
  channel.send(Kind::setup, {}, std::vector<uint64_t>{here.count, here.first, there.count},
               Price::exposed(kVerdict));
  if (here.count + there.count > 0) fail(Party::pp, ids, there, here.count);
  // The same set in the same order, unless AP's order is not that of the ids, or a row came twice.
  if (theirs != mine) throw ProtocolError("AP's rows are not in the order of their ids");
}

void send_rows(Channel& channel, const RowLists& rows) {
  // Drawn by class: whoever knows the seed of the draw learns of the labels from it.
  const Price price = Price::exposed("which rows test was drawn by class");
  channel.send(Kind::setup, {}, rows.train, price);
  channel.send(Kind::setup, {}, rows.test, price);
}

RowLists receive_rows(Channel& channel, size_t rows) {
  RowLists out{channel.receive<uint32_t>(Kind::setup), channel.receive<uint32_t>(Kind::setup)};
  for (const auto* list : {&out.train, &out.test}) {
    const bool ascending = std::ranges::adjacent_find(*list, std::greater_equal()) == list->end();
    if (list->empty() || !ascending || list->back() >= rows)
      throw ProtocolError("AP sent a list of rows that is none");
  }
  return out;
}

}  // namespace maskbench
