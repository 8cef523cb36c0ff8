#pragma once

#include "harness/exchange/grpc/connect.hpp"

namespace maskbench {

std::unique_ptr<ByteStream> connect_as_client(const Endpoint& endpoint);
std::unique_ptr<ByteStream> wait_as_server(const Endpoint& endpoint);

}  // namespace maskbench
