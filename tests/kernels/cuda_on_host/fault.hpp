#pragma once

#include <stdexcept>
#include <string>

namespace cuda_on_host {

// What the shim holds against a kernel or against the host code around it.
enum class Wrong {
  kDivergence,     // a barrier or warp operation that some thread never reaches
  kRace,           // two accesses that nothing orders, one of them a write
  kOutOfBounds,    // no device memory, or past the end of a buffer or shared array
  kUninitialised,  // read before anything was written
  kFreed,          // used after it was freed, or before it was allocated
  kHostChanged     // the host's source of a copy changed before the copy ran
};

inline const char* name_of(Wrong wrong) {
  switch (wrong) {
    case Wrong::kDivergence: return "divergence";
    case Wrong::kRace: return "race";
    case Wrong::kOutOfBounds: return "bounds";
    case Wrong::kUninitialised: return "uninitialised";
    case Wrong::kFreed: return "freed";
    case Wrong::kHostChanged: return "host changed";
  }
  return "?";
}

struct Fault : std::runtime_error {
  Fault(Wrong what_is_wrong, const std::string& text)
      : std::runtime_error(std::string(name_of(what_is_wrong)) + ": " + text),
        wrong(what_is_wrong) {}
  Wrong wrong;
};

}  // namespace cuda_on_host
