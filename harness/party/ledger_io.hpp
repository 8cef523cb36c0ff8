#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/privacy/ledger.hpp"

namespace maskbench {

// A ledger as JSON: mechanisms, how often each was used where, notes. `tree`: only what concerns
// this tree; kWholeLedger: everything.
inline constexpr int kWholeLedger = -2;
nlohmann::json ledger_json(const privacy::Ledger& ledger, int tree = kWholeLedger);
privacy::Ledger ledger_from_json(const nlohmann::json& json, privacy::Unit unit);

}  // namespace maskbench
