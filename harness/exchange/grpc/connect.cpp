#include "harness/exchange/grpc/connect.hpp"

#include "harness/exchange/grpc/check.hpp"
#include "harness/exchange/grpc/client.hpp"
#include "harness/exchange/grpc/log.hpp"

namespace maskbench {

std::unique_ptr<ByteStream> connect_peer(const Endpoint& endpoint) {
  check_endpoint(endpoint);
  keep_grpc_quiet();
  return endpoint.listens ? wait_as_server(endpoint) : connect_as_client(endpoint);
}

bool built_with_grpc() {
  return true;
}

}  // namespace maskbench
