#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/sweep/manifest.hpp"
#include "harness/sweep/store.hpp"

namespace maskbench {

// What to do with a directory made from another config, commit, data or data directory.
enum class Existing { kRefuse, kResume, kUpdate, kFresh, kForce };

struct Settled {
  std::string aside;               // where old results went, or nothing
  std::vector<std::string> notes;  // what was damaged and is set aside, a line each
};

// Compares what the directory holds with what is now asked for, refuses or moves it aside, and sets
// aside every damaged file among `runs`, so that they are done again. `shared`: other shards work
// there too.
Settled settle_existing(Store& store, const Manifest& now, Existing mode, bool shared,
                        std::span<const std::string> runs);

}  // namespace maskbench
