#include "harness/exchange/grpc/connect.hpp"

#include <malloc.h>

#include "harness/exchange/grpc/check.hpp"
#include "harness/exchange/grpc/client.hpp"
#include "harness/exchange/grpc/log.hpp"

namespace maskbench {

namespace {

// gRPC takes and frees pieces of 8 KiB all the time, on several threads. With the allocator's
// defaults they go back to the system again and again, and each comes back as a page fault: an
// eighth of a line's processor time. (glibc is the allocator wherever Debian's gRPC is.)
void keep_freed_memory() {
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

}  // namespace

std::unique_ptr<ByteStream> connect_peer(const Endpoint& endpoint) {
  check_endpoint(endpoint);
  keep_grpc_quiet();
  keep_freed_memory();
  return endpoint.listens ? wait_as_server(endpoint) : connect_as_client(endpoint);
}

bool built_with_grpc() {
  return true;
}

}  // namespace maskbench
