#include "harness/party/ledger_io.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace maskbench {

namespace {

using Json = nlohmann::json;
using privacy::Ledger;
using privacy::Mechanism;
using privacy::Note;

constexpr const char* kMechanisms[] = {"gaussian", "theorem3", "response", "encrypted"};
constexpr const char* kNoteKinds[] = {"exposed", "caveat", "premise"};

template <size_t N>
int index_of(const char* const (&names)[N], const std::string& name) {
  for (size_t k = 0; k < N; ++k) {
    if (name == names[k]) return static_cast<int>(k);
  }
  throw std::runtime_error("a ledger with an unknown name: " + name);
}

Json mechanism_json(const Mechanism& m) {
  Json out = {{"kind", kMechanisms[static_cast<int>(m.kind)]}};
  switch (m.kind) {
    case Mechanism::Kind::gaussian:
      out.update({{"m_record", m.m_record}, {"m_vector", m.m_vector}, {"shared_W", m.shared_W}});
      break;
    case Mechanism::Kind::theorem3:
      out.update({{"R", m.R}, {"W", m.W}, {"n_active", m.n_active}});
      break;
    case Mechanism::Kind::response:
      out.update({{"eps", m.eps}, {"buckets", m.buckets}});
      break;
    case Mechanism::Kind::encrypted:
      break;
  }
  return out;
}

Mechanism mechanism_from(const Json& in) {
  switch (static_cast<Mechanism::Kind>(index_of(kMechanisms, in.at("kind")))) {
    case Mechanism::Kind::gaussian:
      return Mechanism::gaussian(in.at("m_record"), in.at("m_vector"), in.at("shared_W"));
    case Mechanism::Kind::theorem3:
      return Mechanism::theorem3(in.at("R"), in.at("W"), in.at("n_active"));
    case Mechanism::Kind::response:
      return Mechanism::response(in.at("eps"), in.at("buckets"));
    case Mechanism::Kind::encrypted:
      break;
  }
  return Mechanism::encrypted();
}

Json counts_json(const Ledger::Counts& counts) {
  Json out = Json::array();
  for (const auto& [number, count] : counts) out.push_back({number, count});
  return out;
}

}  // namespace

Json ledger_json(const Ledger& ledger, int tree) {
  Json out = {{"mechanisms", Json::array()},
              {"places", Json::array()},
              {"notes", Json::array()},
              {"messages", ledger.messages()}};
  for (const Mechanism& mechanism : ledger.mechanisms())
    out["mechanisms"].push_back(mechanism_json(mechanism));
  for (const auto& [where, place] : ledger.places()) {
    if (tree != kWholeLedger && where.tree != tree) continue;
    Json together = Json::array();
    for (const auto& group : place.together) together.push_back(counts_json(group));
    out["places"].push_back({{"tree", where.tree},
                             {"level", where.level},
                             {"node", where.node},
                             {"alone", counts_json(place.alone)},
                             {"together", std::move(together)}});
  }
  for (const Note& note : ledger.notes()) {
    out["notes"].push_back({{"kind", kNoteKinds[static_cast<int>(note.kind)]},
                            {"from", name_of(note.from)},
                            {"reason", note.reason}});
  }
  return out;
}

Ledger ledger_from_json(const Json& in, privacy::Unit unit) {
  Ledger out(unit);
  std::vector<Mechanism> mechanisms;
  for (const Json& one : in.at("mechanisms")) mechanisms.push_back(mechanism_from(one));
  for (const Json& place : in.at("places")) {
    const privacy::Where where{place.at("tree"), place.at("level"), place.at("node")};
    for (const Json& pair : place.at("alone"))
      out.charge({mechanisms.at(pair.at(0)), where, pair.at(1)});
    for (const Json& group : place.at("together")) {
      std::vector<privacy::Charge> charges;
      for (const Json& pair : group)
        charges.push_back({mechanisms.at(pair.at(0)), where, pair.at(1)});
      out.charge_together(charges);
    }
  }
  for (const Json& note : in.at("notes")) {
    const auto view = from_name<privacy::View>(note.at("from").get<std::string>());
    if (!view) throw std::runtime_error("a ledger with an unknown view");
    out.note(
        {static_cast<Note::Kind>(index_of(kNoteKinds, note.at("kind"))), *view, note.at("reason")});
  }
  if (in.at("messages").get<int64_t>() > 0) out.count_message();
  return out;
}

}  // namespace maskbench
