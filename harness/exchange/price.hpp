#pragma once

#include <string>
#include <vector>

#include "harness/privacy/ledger.hpp"

namespace maskbench {

// What a message costs the party that sends it, or why it costs nothing. No message goes without
// one, so that the ledger of a party is complete. There is no empty price.
class Price {
 public:
  // Mechanisms of differential privacy cover it. One message, or a block of messages that each
  // stand alone, as the candidates of a node do.
  static Price covered(std::vector<privacy::Charge> charges);
  // All of them apply to the same record at once: the message costs their composition.
  static Price together(std::vector<privacy::Charge> charges);
  // Computed from what was charged before and from nothing else: it costs nothing more.
  static Price derived(std::string from_what);
  // No mechanism covers it: no bound holds for a reader with this view, or a wider one.
  static Price exposed(std::string reason, privacy::View from = privacy::View::wire);
  // It says nothing of anybody's data: a public parameter.
  static Price not_personal(std::string reason);

  // Both hold: parts of the message are covered, or it speaks of two things.
  Price and_also(Price other) &&;
  // What the guarantee rests on.
  Price given(std::string premise) &&;
  Price noting(const std::vector<privacy::Note>& notes) &&;

  bool is_personal() const { return personal_; }
  void enter(privacy::Ledger& ledger) const;

 private:
  Price() = default;

  bool personal_ = true;
  std::vector<privacy::Charge> charges_;
  std::vector<std::vector<privacy::Charge>> together_;
  std::vector<privacy::Note> notes_;
};

}  // namespace maskbench
