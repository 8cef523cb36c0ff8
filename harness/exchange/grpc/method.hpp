#pragma once

namespace maskbench {

// One method: a stream of raw bytes both ways, so there is no schema to compile.
inline constexpr const char* kExchangeMethod = "/maskbench.Exchange/Talk";

}  // namespace maskbench
