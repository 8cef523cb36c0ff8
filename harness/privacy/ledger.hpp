#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/base/reading.hpp"
#include "harness/privacy/mechanism.hpp"

namespace maskbench::privacy {

// Nodes of one level hold disjoint rows, so a record pays for one of them.
struct Where {
  int tree = -1;   // -1: once a training
  int level = -1;  // -1: once a tree
  int node = 0;

  auto operator<=>(const Where&) const = default;
};

struct Charge {
  Mechanism mechanism;
  Where where;
  int64_t count = 1;
};

// One party's messages as a record of its data meets them. Equal messages are counted, not stored;
// m of the unit that the run does not use and large n_A are rounded to the costlier side to keep
// them few.
class Ledger {
 public:
  // A mechanism's number -> how often; what one message, or one step, is made of.
  using Counts = std::map<int, int64_t>;
  // The messages at one place: those that stand alone, and those of several mechanisms at once.
  struct Place {
    Counts alone;
    std::vector<Counts> together;
  };

  explicit Ledger(Unit unit = Unit::record) : unit_(unit) {}

  void charge(const Charge& charge);
  // One message that applies all these mechanisms to the same record: it costs their composition.
  void charge_together(std::span<const Charge> charges);
  void note(Note note);
  // What `earlier` says of its first trees, without what it says of a whole training.
  void add_trees(const Ledger& earlier, int trees);
  void count_message() { ++messages_; }  // one that speaks of the party's data without a charge

  std::map<Where, Place> places() const;
  const std::vector<Mechanism>& mechanisms() const { return mechanisms_; }
  const std::set<Note>& notes() const { return notes_; }
  int64_t messages() const { return messages_; }
  // Is any message covered by a mechanism of differential privacy?
  bool is_covered() const;

  // What the ledger does not tell apart: m (given squared) of the unit that the run does not use up
  // to the next 1/8 of an octave, and n_A down to 2, 3, 4, 6, 8, 12, 16 ... Upper bounds both.
  static int64_t noise_class(double m_squared);
  static int64_t counted_cycle(int64_t n_active, int64_t saturated);  // saturating_n(R)

 private:
  struct Slot {
    Where where;
    int number;  // of the mechanism

    bool operator==(const Slot&) const = default;
  };
  struct Hash {
    size_t operator()(const Mechanism& mechanism) const;
    size_t operator()(const Slot& slot) const;
  };

  int intern(const Mechanism& mechanism);

  Unit unit_;
  std::vector<Mechanism> mechanisms_;
  std::unordered_map<Mechanism, int, Hash> numbers_;
  std::unordered_map<Slot, int64_t, Hash> counts_;
  std::map<Where, std::vector<Counts>> together_;
  std::set<Note> notes_;
  int64_t messages_ = 0;
};

}  // namespace maskbench::privacy
