#pragma once

#include <vector>

#include "harness/masked/active.hpp"
#include "harness/masked/truth.hpp"

namespace maskbench {

// The exchange of a block as one step, for the modes fused and collapsed: it holds both sides'
// secrets and yields only the sums that PP would get. Its messages are counted but never exist.
class JointExchange {
 public:
  JointExchange(MaskedActive& ap, bool collapsed) : ap_(ap), collapsed_(collapsed) {}

  struct Sums {
    std::vector<int64_t> g, h;
    int shift = 0;
  };
  Sums run(kernels::Backend& backend, const kernels::Batch& batch, const Tag& tag,
           const kernels::Draw& draw, std::span<const CandidateHeader> headers,
           const kernels::ExactSums& exact, Wire& wire);

 private:
  MaskedActive& ap_;
  bool collapsed_;
  std::vector<std::byte> scratch_;
};

}  // namespace maskbench
