#include "harness/masked/joint.hpp"

namespace maskbench {

JointExchange::Sums JointExchange::run(kernels::Backend& backend, const kernels::Batch& batch,
                                       const Tag& tag, const kernels::Draw& draw,
                                       std::span<const CandidateHeader> headers,
                                       const kernels::ExactSums& exact, Wire& wire) {
  const BlockWeights weights = ap_.weights(batch.level, tag.depth, headers);
  kernels::check_bounds(batch, weights.view(), draw.columns);
  Sums out{std::vector<int64_t>(headers.size()), std::vector<int64_t>(headers.size()),
           weights.shift};
  const kernels::MaskedSums sums{out.g, out.h};
  if (collapsed_) {
    backend.collapsed(batch, draw, exact, weights.view(), sums);
  } else {
    scratch_.resize(backend.scratch_bytes(batch.level));
    backend.fused(batch, draw, ap_.values(batch.level), weights.view(), sums, scratch_);
  }
  const size_t cells = batch.cells();
  wire.count(Party::pp, Kind::noise, 1, headers.size() * sizeof(CandidateHeader));
  wire.count(Party::pp, Kind::noise, 1,
             cells * static_cast<size_t>(draw.columns) * sizeof(int32_t));
  wire.count(Party::ap, Kind::totals, 1, sizeof(int64_t));
  const size_t vectors = ap_.gradient_only() ? 1 : 2;
  wire.count(Party::ap, Kind::masked, vectors, vectors * cells * sizeof(int64_t));
  return out;
}

}  // namespace maskbench
