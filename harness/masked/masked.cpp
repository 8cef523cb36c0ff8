#include "harness/masked/masked.hpp"

#include <fmt/format.h>

#include "harness/core/budget.hpp"
#include "harness/core/error.hpp"
#include "harness/masked/active.hpp"
#include "harness/masked/joint.hpp"
#include "harness/masked/passive.hpp"

namespace maskbench {

namespace {

privacy::MaskedCalibration calibrate(const MethodContext& c) {
  const RunSpec& spec = c.spec;
  privacy::MaskedBudget budget;
  budget.eps_ap = spec.privacy.eps_ap;
  budget.delta_ap = spec.privacy.delta_ap;
  budget.eps_pp = spec.privacy.eps_pp;
  budget.delta_pp = delta_pp(spec.privacy, c.pp.bins.rows);
  budget.n = static_cast<int64_t>(c.pp.bins.rows);
  budget.W = spec.privacy.W;
  budget.reading = reading_of(spec.privacy);
  const int64_t levels = int64_t{spec.train.rounds} * spec.train.max_depth;
  const int64_t candidates = static_cast<int64_t>(candidates_of(c.pp.cuts).size());
  budget.ap = budget.pp = {spec.train.rounds, spec.train.max_depth, levels * candidates};
  budget.ratio = spec.privacy.ratio;
  budget.mu = mu_of(spec.train);
  budget.zero_noise = spec.privacy.zero_noise;
  return privacy::calibrate_masked(budget);
}

std::shared_ptr<kernels::Backend> make_backend(const RunSpec& spec, int threads) {
  const bool cuda =
      spec.backend == "cuda" || (spec.backend == "auto" && kernels::cuda_missing().empty());
  return cuda ? kernels::cuda_backend() : kernels::cpu_backend(threads);
}

}  // namespace

Method make_masked(const MethodContext& c) {
  const privacy::MaskedCalibration calibration = calibrate(c);
  const auto backend = make_backend(c.spec, c.pool.threads());
  auto ap = std::make_unique<MaskedActive>(c, calibration, backend);
  MaskedActive* judged = ap.get();
  auto truth = std::make_unique<MaskedTruth>(
      c, calibration, [judged]() -> const Gradients& { return judged->clean(); });
  std::unique_ptr<JointExchange> joint;
  if (c.spec.mode != "materialised")
    joint = std::make_unique<JointExchange>(*ap, c.spec.mode == "collapsed");
  auto pp =
      std::make_unique<MaskedPassive>(c, calibration, backend, std::move(joint), std::move(truth));
  return {std::move(ap), std::move(pp)};
}

}  // namespace maskbench
