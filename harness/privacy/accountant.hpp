#pragma once

#include <string>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/privacy/ledger.hpp"
#include "harness/privacy/mechanism_cost.hpp"
#include "harness/privacy/readings.hpp"

namespace maskbench::privacy {

struct Budget {
  double eps_ap = 0, delta_ap = 0, eps_pp = 0, delta_pp = 0;
};

struct Cost {
  Party party;  // whose data the messages speak of: who sent them
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

// What the messages in the two parties' ledgers cost. A party that sent something of its data that
// no mechanism of differential privacy covers has an infinite eps, never 0.
class PrivacyAccountant {
 public:
  PrivacyAccountant(const Reading& reading, const Budget& budget)
      : PrivacyAccountant(reading, budget, Ledger(reading.unit), Ledger(reading.unit)) {}
  PrivacyAccountant(const Reading& reading, const Budget& budget, Ledger ap, Ledger pp);

  // Under any reading.
  Cost cost(Party party, View view, const Reading& reading) const;
  PrivacyReport report() const;

  Ledger& ledger(Party party) { return ledgers_[size_t(party)]; }
  const Ledger& ledger(Party party) const { return ledgers_[size_t(party)]; }

 private:
  Cost price(Party party, View view, const Reading& reading,
             std::vector<CountedMechanism> steps) const;

  Reading reading_;
  Budget budget_;
  Ledger ledgers_[2];
};

}  // namespace maskbench::privacy
