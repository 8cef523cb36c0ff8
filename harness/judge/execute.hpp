#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>

#include "harness/base/metric.hpp"
#include "harness/base/party_key.hpp"
#include "harness/base/spec.hpp"

namespace maskbench {

struct ExecuteContext {
  std::string data_dir;
  int threads = 1;
  std::string model_dir = {};  // where to save the model; empty: nowhere
  std::function<void(int done, int total)> on_tree;
  std::function<void(int done, int total)> on_attack = {};  // steps of a long attack
  std::atomic<bool>* stop = nullptr;  // once true, the run throws Interrupted after its tree
};

// The run was asked to stop; it has no result and did not fail.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Where the protocol's randomness comes from; "off" if it was asked to have none.
std::string noise_source(const RunSpec& spec);

// A party's key: by a seed that of the run, the same for both and for everybody to repeat; else its
// own, of the system.
PartyKey party_key(const RunSpec& spec);

using Executor = std::function<RunResult(const RunSpec&, const ExecuteContext&)>;

// Does one run: data, training, attack, metrics. Throws Error if the run fails, or Interrupted.
RunResult execute(const RunSpec& spec, const ExecuteContext& context);

}  // namespace maskbench
