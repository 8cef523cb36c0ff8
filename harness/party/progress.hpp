#pragma once

#include <optional>
#include <string>

#include "harness/base/party_key.hpp"
#include "harness/exchange/past.hpp"
#include "harness/exchange/tape.hpp"
#include "harness/privacy/ledger.hpp"

namespace maskbench {

// What a party keeps of a training while it lasts, one file a finished tree, so that it can go on
// after a fault. Only for the party itself: its keys are here too.
class Progress {
 public:
  explicit Progress(std::string dir) : dir_(std::move(dir)) {}

  // Which training it is of.
  struct Run {
    std::string config;       // canonical_text
    std::string data_sha256;  // of the party's file
    PartyKey key = 0;         // of the party's randomness
    uint64_t split_seed = 0;  // AP: of the test rows
    std::string name;         // drawn when it began
    std::string peer;         // the other party's name of it, once they have met
  };
  std::optional<Run> run() const;
  void begin(const Run& run) const;  // forgets what was there
  void note(const Run& run) const;   // the same training, of which more is known

  struct Kept {
    PastTree tree;
    privacy::Ledger ledger;  // of this tree's messages
    Tape::Counts counts;     // up to its end
  };
  int trees() const;  // kept without a gap
  Kept load(int tree, privacy::Unit unit) const;
  void keep(int tree, const PastTree& past, const privacy::Ledger& all,
            const Tape::Counts& counts) const;
  void remove() const;

 private:
  std::string path(int tree) const;
  void write(const std::string& name, const std::string& content) const;
  std::string dir_;
};

}  // namespace maskbench
