#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "harness/base/spec.hpp"
#include "harness/data/party.hpp"
#include "kernels/backend.hpp"

namespace maskbench {

// What computes for one party: its threads, and one backend for each set of features, which all who
// search them share. Copies are the same party's.
class Compute {
 public:
  using Maker = std::function<std::unique_ptr<kernels::Backend>()>;

  Compute(ThreadPool& pool)  // NOLINT: threads alone compute on the CPU
      : Compute(pool, "cpu", [&pool] { return kernels::cpu_backend(pool); }) {}
  Compute(ThreadPool& pool, std::string name, Maker maker, int max_depth = 0)
      : pool_(&pool), name_(std::move(name)), maker_(std::move(maker)), max_depth_(max_depth) {}

  // automatic: cuda where there is a device.
  static Compute choose(const RunSpec& spec, ThreadPool& pool, int device) {
    const bool is_cuda =
        spec.backend == BackendChoice::cuda ||
        (spec.backend == BackendChoice::automatic && kernels::cuda_missing().empty());
    if (!is_cuda) return pool;
    return {pool, "cuda", [device] { return kernels::cuda_backend(device); }, spec.train.max_depth};
  }

  // The same for other features of the party, whose backends end with them.
  Compute anew() const { return {*pool_, name_, maker_, max_depth_}; }

  ThreadPool& pool() const { return *pool_; }
  const std::string& name() const { return name_; }
  // The backend of these features, which must outlive it.
  std::shared_ptr<kernels::Backend> backend(const PartyData& data) const {
    std::shared_ptr<kernels::Backend>& backend = (*backends_)[&data];
    if (!backend) {
      backend = maker_();
      backend->bind({data.matrix(), data.layout, data.offsets}, largest_level(data.bins.rows));
    }
    return backend;
  }

 private:
  // The last level that is searched has at most two nodes for each of the one above. Deeper trees
  // hardly fill theirs: a backend takes more memory when one does.
  size_t largest_level(size_t rows) const {
    const int doublings = std::clamp(max_depth_ - 1, 0, 10);
    return std::min(size_t{1} << doublings, std::max<size_t>(rows, 1));
  }

  ThreadPool* pool_;
  std::string name_;
  Maker maker_;
  int max_depth_;
  std::shared_ptr<std::map<const PartyData*, std::shared_ptr<kernels::Backend>>> backends_ =
      std::make_shared<std::map<const PartyData*, std::shared_ptr<kernels::Backend>>>();
};

}  // namespace maskbench
