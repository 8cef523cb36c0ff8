#pragma once

#include "harness/core/protocol.hpp"

namespace maskbench {

// MaskedXGBoost (system of the paper): PP sends noise B_i, AP answers with <g>_i = g + B_i c_i and
// <h>_i = h + B_i d_i, PP scores its candidates from m_i'<g>_i and m_i'<h>_i.
Method make_masked(const MethodContext& context);

}  // namespace maskbench
