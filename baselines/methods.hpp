#pragma once

#include "harness/core/protocol.hpp"

// The baselines, one file each. Adding one: a file, a line here, a line in harness/app/catalog.cpp.
namespace maskbench {

Method make_nonprivate(const MethodContext& context);
Method make_local(const MethodContext& context);
Method make_random_split(const MethodContext& context);
Method make_smm(const MethodContext& context);

}  // namespace maskbench
