#pragma once

#include <string>

namespace maskbench {

// From now on gRPC's own log does not go to stderr; what it says of failed handshakes is kept.
void keep_grpc_quiet();
// The last of them, e.g. "certificate verify failed"; empty: none.
std::string failed_handshake();

}  // namespace maskbench
