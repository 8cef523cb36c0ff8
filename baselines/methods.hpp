#pragma once

#include "harness/core/protocol.hpp"

// The baselines, one file each. Adding one: a file, a line here, a line in harness/app/catalog.cpp.
namespace maskbench {

Method make_nonprivate(const MethodContext& context);
Method make_local(const MethodContext& context);
Method make_random_split(const MethodContext& context);
Method make_smm(const MethodContext& context);
Method make_xgb_ldp(const MethodContext& context);
Method make_fedxgb_ldp(const MethodContext& context);
Method make_federboost(const MethodContext& context);
Method make_label_rr(const MethodContext& context);
Method make_bilateral_rr(const MethodContext& context);
Method make_paillier(const MethodContext& context);

}  // namespace maskbench
