#pragma once

#include "harness/exchange/method.hpp"

namespace maskbench {

// MaskedXGBoost (the paper's method): PP sends noise B_i, AP answers with <g>_i = g + B_i c_i and
// <h>_i = h + B_i d_i, PP scores its candidates from m_i'<g>_i and m_i'<h>_i.
const Method& masked_method();

}  // namespace maskbench
