#include "harness/exchange/grpc/log.hpp"

#include <grpc/support/log.h>

#include <mutex>
#include <string_view>

namespace maskbench {

namespace {

std::mutex mutex;
std::string last_failure;

void listen(gpr_log_func_args* args) {
  const std::string_view text(args->message);
  if (text.find("Handshake failed") == std::string_view::npos) return;
  const size_t reason = text.rfind(':');  // OpenSSL's last word
  const std::scoped_lock lock(mutex);
  last_failure = text.substr(reason == std::string_view::npos ? 0 : reason + 1);
  while (last_failure.ends_with('.')) last_failure.pop_back();
}

}  // namespace

void keep_grpc_quiet() {
  gpr_set_log_function(listen);
}

std::string failed_handshake() {
  const std::scoped_lock lock(mutex);
  return last_failure;
}

}  // namespace maskbench
