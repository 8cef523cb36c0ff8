#include "harness/exchange/grpc/tls.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"

namespace maskbench {

namespace {

struct Certificates {
  std::string ca, cert, key;
};

Certificates read_certificates(const std::string& dir) {
  const auto read = [&](const char* name) {
    const std::string path = dir + "/" + name;
    if (!std::filesystem::is_regular_file(path))
      throw Error(
          fmt::format("--tls {}: no {}; the folder needs ca.pem, cert.pem and key.pem "
                      "(docs/deployment.md)",
                      dir, name));
    std::string text = read_file(path);
    if (text.find("-----BEGIN ") == std::string::npos)
      throw Error(fmt::format("--tls {}: {} is not in PEM (docs/deployment.md)", dir, name));
    return text;
  };
  return {read("ca.pem"), read("cert.pem"), read("key.pem")};
}

// gRPC 1.51 has no setting for the lowest version of TLS. But it lets us name the ciphers of TLS
// 1.2, and one that needs a shared key, which nobody has here, leaves no way to agree on 1.2. Those
// of TLS 1.3 are not touched by it.
void allow_only_tls13() {
  ::setenv("GRPC_SSL_CIPHER_SUITES", "PSK-AES256-GCM-SHA384", 1);
}

}  // namespace

std::shared_ptr<grpc::ChannelCredentials> client_credentials(const Endpoint& endpoint) {
  if (endpoint.plaintext) return grpc::InsecureChannelCredentials();
  allow_only_tls13();
  Certificates files = read_certificates(endpoint.tls_dir);
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = std::move(files.ca);
  options.pem_cert_chain = std::move(files.cert);
  options.pem_private_key = std::move(files.key);
  return grpc::SslCredentials(options);
}

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Endpoint& endpoint) {
  if (endpoint.plaintext) return grpc::InsecureServerCredentials();
  allow_only_tls13();
  Certificates files = read_certificates(endpoint.tls_dir);
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = std::move(files.ca);
  options.pem_key_cert_pairs.push_back({std::move(files.key), std::move(files.cert)});
  return grpc::SslServerCredentials(options);
}

}  // namespace maskbench
