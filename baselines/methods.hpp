#pragma once

#include "harness/exchange/method.hpp"

// The baselines, one file each. Adding one: a file, a line here, a line in
// harness/judge/catalog.cpp.
namespace maskbench {

const Method& nonprivate_method();
const Method& local_method();
const Method& random_split_method();
const Method& smm_method();
const Method& xgb_ldp_method();
const Method& fedxgb_ldp_method();
const Method& federboost_method();
const Method& label_rr_method();
const Method& bilateral_rr_method();
const Method& late_fusion_method();
const Method& opboost_method();
const Method& paillier_method();

}  // namespace maskbench
