#pragma once

#include "harness/exchange/grpc/connect.hpp"

namespace maskbench {

// Throws Error: no port, plaintext that would leave the machine, no word about TLS.
void check_endpoint(const Endpoint& endpoint);
bool is_loopback(const std::string& address);

}  // namespace maskbench
