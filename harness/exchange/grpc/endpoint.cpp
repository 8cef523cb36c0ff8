#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/exchange/grpc/check.hpp"

namespace maskbench {

std::string certificate_name(Party party) {
  return party == Party::ap ? "ap.maskbench" : "pp.maskbench";
}

bool is_loopback(const std::string& address) {
  const size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  if (host == "localhost" || host == "[::1]") return true;
  const bool dotted = host.find_first_not_of("0123456789.") == std::string::npos;
  return dotted && host.starts_with("127.");
}

void check_endpoint(const Endpoint& endpoint) {
  const size_t colon = endpoint.address.rfind(':');
  const bool has_port =
      colon != std::string::npos && colon > 0 && colon + 1 < endpoint.address.size() &&
      endpoint.address.find_first_not_of("0123456789", colon + 1) == std::string::npos &&
      endpoint.address.size() - colon <= 6 &&
      std::stoi(endpoint.address.substr(colon + 1)) <= 65535;
  if (!has_port)
    throw Error(
        fmt::format("{}: not an address; write host:port, e.g. 127.0.0.1:7000", endpoint.address));
  if (endpoint.plaintext && !is_loopback(endpoint.address))
    throw Error(
        fmt::format("{}: --plaintext is for loopback alone; give --tls DIR", endpoint.address));
  if (endpoint.plaintext != endpoint.tls_dir.empty())
    throw Error("give --tls DIR, or --plaintext on loopback: one of the two");
}

}  // namespace maskbench
