#pragma once

// Whole trainings with the CUDA backend's own source, run as fibres on the host, and what each
// party's device was asked for.
// clang-format off
#include "tests/device/counting_device.hpp"
// clang-format on

#include <array>

#include "harness/exchange/training.hpp"
#include "tests/support/toy.hpp"

namespace maskbench::counted {

struct Training {
  TrainResult result;
  std::array<std::shared_ptr<Log>, 2> logs;  // by party
  std::vector<std::array<Counts, 2>> trees;  // after each

  const Log& of(Party party) const { return *logs[static_cast<size_t>(party)]; }
};

inline Training train(const Method& method, const RunSpec& spec, const toy::Parties& p,
                      Records& records, size_t l2_bytes = size_t{512} << 10) {
  Training out;
  ThreadPool pool(1);
  for (auto& log : out.logs) log = std::make_shared<Log>(Log{l2_bytes, {}, {}});
  TrainInput input{method,    spec, p.ap, p.data.labels, p.pp, pool, spec.seed, spec.seed,
                   spec.seed, 0,    {}};
  const cuda_on_host::HostDevice device;  // one for both, as in a process
  size_t made = 0;                        // AP's first
  input.compute = [&] {
    const std::shared_ptr<Log> log = out.logs[made++];
    return Compute(
        pool, "cuda-on-host",
        [log, &device] {
          return std::make_unique<kernels::device::DeviceBackend<CountingDevice>>(
              CountingDevice(device, log));
        },
        spec.train.max_depth);
  };
  TrainHooks hooks;
  hooks.on_tree = [&](int) { out.trees.push_back({out.logs[0]->now, out.logs[1]->now}); };
  out.result = maskbench::train(input, records, hooks);
  return out;
}
inline Training train(const Method& method, const RunSpec& spec, const toy::Parties& p,
                      size_t l2_bytes = size_t{512} << 10) {
  Records records;
  return train(method, spec, p, records, l2_bytes);
}

}  // namespace maskbench::counted
