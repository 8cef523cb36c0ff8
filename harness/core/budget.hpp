#pragma once

#include "harness/core/spec.hpp"
#include "harness/privacy/readings.hpp"

namespace maskbench {

// The reading of a run's budget, from the words of its spec.
inline privacy::Reading reading_of(const PrivacySpec& p) {
  return {privacy::parse_scope(p.scope), privacy::parse_unit(p.unit),
          privacy::parse_composition(p.composition), privacy::parse_mu(p.mu),
          privacy::parse_theorem3(p.theorem3)};
}

// delta_PP, where 0 stands for 1/n.
inline double delta_pp(const PrivacySpec& p, size_t rows) {
  return p.delta_pp > 0 ? p.delta_pp : 1.0 / static_cast<double>(rows);
}

// The largest change of a gradient that a neighbour may make; 0 leaves it to the reading.
inline double mu_of(const TrainSpec& train) {
  return train.objective == "regression" ? 2 * train.gradient_clip : 0;
}

}  // namespace maskbench
