#include "harness/masked/masked.hpp"

#include "harness/core/masked_budget.hpp"
#include "harness/masked/active.hpp"
#include "harness/masked/joint.hpp"
#include "harness/masked/passive.hpp"

namespace maskbench {

Method make_masked(const MethodContext& c) {
  const privacy::MaskedCalibration calibration =
      masked_calibration(c.spec, c.pp.bins.rows, candidates_of(c.pp.cuts).size());
  const std::shared_ptr<kernels::Backend> backend = c.compute().backend();
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
