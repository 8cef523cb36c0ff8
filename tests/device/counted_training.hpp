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
  std::vector<double> host_seconds;          // of each tree, without the device's own

  const Log& of(Party party) const { return *logs[static_cast<size_t>(party)]; }
};

// Both parties' features, and the labels.
struct Data {
  const PartyData& ap;
  const PartyData& pp;
  std::span<const float> labels;
};

template <class Kernels = kernels::device::DefaultKernels>
Training train(const Method& method, const RunSpec& spec, const Data& data, Records& records,
               size_t l2_bytes) {
  Training out;
  ThreadPool pool(1);
  for (auto& log : out.logs) {
    log = std::make_shared<Log>();
    log->l2_bytes = l2_bytes;
  }
  TrainInput input{method,    spec,      data.ap,   data.labels, data.pp, pool,
                   spec.seed, spec.seed, spec.seed, 0,           {}};
  const cuda_on_host::HostDevice device;  // one for both, as in a process
  size_t made = 0;                        // AP's first
  input.compute = [&] {
    const std::shared_ptr<Log> log = out.logs[made++];
    return Compute(
        pool, "cuda-on-host",
        [log, &device] {
          return std::make_unique<kernels::device::DeviceBackend<CountingDevice, Kernels>>(
              CountingDevice(device, log));
        },
        spec.train.max_depth);
  };
  TrainHooks hooks;
  const auto seconds = [&] {
    return cpu_seconds() - out.logs[0]->shim_seconds - out.logs[1]->shim_seconds;
  };
  double begin = seconds();
  hooks.on_tree = [&](int) {
    out.trees.push_back({out.logs[0]->now, out.logs[1]->now});
    out.host_seconds.push_back(seconds() - begin);
    begin = seconds();
  };
  out.result = maskbench::train(input, records, hooks);
  return out;
}
inline Training train(const Method& method, const RunSpec& spec, const toy::Parties& p,
                      Records& records, size_t l2_bytes = size_t{512} << 10) {
  return train(method, spec, Data{p.ap, p.pp, p.data.labels}, records, l2_bytes);
}
inline Training train(const Method& method, const RunSpec& spec, const toy::Parties& p,
                      size_t l2_bytes = size_t{512} << 10) {
  Records records;
  return train(method, spec, p, records, l2_bytes);
}

}  // namespace maskbench::counted
