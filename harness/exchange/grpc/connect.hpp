#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/party_id.hpp"
#include "harness/exchange/stream.hpp"

// The only folder that knows gRPC; nothing in this header does.
namespace maskbench {

struct Endpoint {
  Party me = Party::ap;
  std::string address;  // host:port
  bool listens = false;
  std::string tls_dir;                         // ca.pem, cert.pem, key.pem
  bool plaintext = false;                      // on loopback only
  std::chrono::milliseconds patience{60'000};  // for the peer to be there
};

// The other party was not there within the patience.
struct PeerAbsent : Error {
  using Error::Error;
};

// Connects to the other party, or waits for it. Throws PeerAbsent, or Error if there is one that
// cannot show a certificate of its role.
std::unique_ptr<ByteStream> connect_peer(const Endpoint& endpoint);

// The name that a party's certificate must carry: ap.maskbench or pp.maskbench.
std::string certificate_name(Party party);

bool built_with_grpc();

}  // namespace maskbench
