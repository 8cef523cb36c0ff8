#include "harness/base/error.hpp"
#include "harness/exchange/grpc/check.hpp"

namespace maskbench {

std::unique_ptr<ByteStream> connect_peer(const Endpoint& endpoint) {
  check_endpoint(endpoint);
  throw Error(
      "this maskbench was built without gRPC, so it has no other party to talk to; install "
      "libgrpc++-dev (scripts/setup.sh does) and build anew, without -DMASKBENCH_GRPC=OFF");
}

bool built_with_grpc() {
  return false;
}

}  // namespace maskbench
