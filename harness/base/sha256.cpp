#include "harness/base/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include "harness/base/error.hpp"

namespace maskbench {
namespace {

class Sha256 {
 public:
  Sha256() { check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

  void add(std::string_view bytes) {
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
    return fmt::format("{:02x}", fmt::join(digest.data(), digest.data() + size, ""));
  }

 private:
  static void check(int ok) {
    if (ok != 1) throw std::runtime_error("OpenSSL gives no SHA-256");
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free};
};

}  // namespace

std::string sha256_of_text(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.hex();
}

std::array<uint8_t, 32> keyed_hash(std::span<const uint8_t> key, std::string_view text) {
  std::array<uint8_t, 32> out{};
  unsigned size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), out.data(),
           &size) == nullptr ||
      size != out.size())
    throw std::runtime_error("OpenSSL gives no HMAC");
  return out;
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot be read; check the path and its rights", path));
  Sha256 digest;
  std::vector<char> buffer(size_t{1} << 16);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.add({buffer.data(), static_cast<size_t>(file.gcount())});
  }
  if (file.bad()) throw Error(fmt::format("{}: reading fails; check the disk", path));
  return digest.hex();
}

}  // namespace maskbench
