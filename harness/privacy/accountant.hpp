#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/privacy/readings.hpp"

namespace maskbench::privacy {

enum class Party { active, passive };  // whose data a message speaks of

// What the reader is taken to know, each a superset of the one before. The theorems argue at
// `stated`: one message by itself, B unknown to its reader.
enum class View {
  stated,
  pair,      // <g> and <h> of a candidate together: they share B
  receiver,  // the other party as it is: PP drew B itself
  wire,      // everything that crosses, also what is sent in clear
};

std::string_view to_string(Party value);
std::string_view to_string(View value);

// A message's mechanism. Made by the functions below.
struct Mechanism {
  enum class Kind { gaussian, theorem3, response, encrypted, exposed, caveat };

  Kind kind = Kind::encrypted;
  double m_record = 0, m_vector = 0;  // gaussian: sensitivity over noise, for each unit
  int shared_W = 0;  // gaussian: g and h share W columns of B; 0: independent noise
  double R = 0;      // theorem3
  int W = 0;
  int64_t n_active = 0;
  double eps = 0;  // response
  int buckets = 0;
  View from = View::wire;  // exposed: the views that see it
  std::string reason;

  static Mechanism gaussian(double m_record, double m_vector, int shared_W = 0);
  static Mechanism theorem3(double R, int W, int64_t n_active);
  static Mechanism response(double eps, int buckets = 2);
  static Mechanism encrypted();  // computational security, no differential privacy: costs nothing
  // What the finite costs of unit record rest on as soon as several messages are added up.
  static Mechanism caveat(std::string reason);
  static Mechanism exposed(View from, std::string reason);  // no bound holds from that view on

  auto operator<=>(const Mechanism&) const = default;
};

// Charged (as a caveat, count 0) by every method whose next gradients come from clean leaves.
inline constexpr const char* kCleanLeavesCaveat =
    "only given the past: clean leaf weights carry one label into every later gradient";

// Nodes of one level hold disjoint rows, so a record pays for one of them.
struct Where {
  int tree = -1;   // -1: once a training
  int level = -1;  // -1: once a tree
  int node = 0;

  auto operator<=>(const Where&) const = default;
};

struct Budget {
  double eps_ap = 0, delta_ap = 0, eps_pp = 0, delta_pp = 0;
};

struct Cost {
  Party party;
  View view;
  Reading reading;
  double eps, delta;   // eps may be infinite
  std::string reason;  // why it is infinite, or what it rests on
};

struct PrivacyReport {
  Reading reading;              // the run's
  Budget claimed;               // as the run was asked for
  std::vector<Cost> run;        // the run's own reading in every view
  std::vector<Cost> elsewhere;  // the other readings, view `stated`
};

// Every protocol charges every message it sends. Equal messages are counted, not stored; m of the
// unit that the run does not use and large n_A are rounded to the costlier side to keep them few.
class PrivacyAccountant {
 public:
  PrivacyAccountant(const Reading& reading, const Budget& budget);

  void charge(Party party, const Mechanism& mechanism, const Where& where, int64_t count = 1);

  // The cost of what was charged, under any reading.
  Cost cost(Party party, View view, const Reading& reading) const;
  PrivacyReport report() const;

  int64_t messages(Party party) const;

 private:
  using Step = std::pair<const Mechanism*, double>;  // a mechanism and how often
  struct Slot {
    Where where;
    int number;  // of the mechanism

    bool operator==(const Slot&) const = default;
  };
  struct Hash {
    size_t operator()(const Mechanism& mechanism) const;
    size_t operator()(const Slot& slot) const;
  };
  struct Ledger {
    std::unordered_map<Slot, int64_t, Hash> counts;
    std::set<Mechanism> notes;  // exposed and caveats
    int64_t messages = 0;
  };
  using Counts = std::map<int, int64_t>;  // mechanism's number -> messages
  using Places = std::map<Where, Counts>;

  int intern(const Mechanism& mechanism);
  Places places(Party party) const;
  std::vector<Step> steps_of(const Places& places, Scope scope, Unit unit) const;
  Cost price(Party party, View view, const Reading& reading, std::vector<Step> steps) const;

  Reading reading_;
  Budget budget_;
  std::vector<Mechanism> mechanisms_;
  std::unordered_map<Mechanism, int, Hash> numbers_;
  Ledger ledgers_[2];
};

}  // namespace maskbench::privacy
