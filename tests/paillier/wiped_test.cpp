// After a key is gone, no copy of its primes is left in the process's memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/paillier/fixture.hpp"

namespace maskbench::paillier {
namespace {

constexpr Limb kMask = 0x5a5a5a5a5a5a5a5a;

// A prime's limbs 3 to 6, disguised, so that the memory of the test itself is no copy. The first
// ones would tell nothing: malloc writes its own notes there when memory is given back.
std::vector<Limb> disguised(const mpz_class& prime) {
  std::vector<Limb> out;
  for (size_t i = 3; i < 7; ++i)
    out.push_back(mpz_getlimbn(prime.get_mpz_t(), static_cast<mp_size_t>(i)) ^ kMask);
  return out;
}

// In all memory that can be written, but for the stack: these limbs one after the other.
size_t copies(const std::vector<Limb>& secret) {
  size_t found = 0;
  std::ifstream maps("/proc/self/maps");
  const int memory = open("/proc/self/mem", O_RDONLY);
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string rights;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights;
    if (!rights.starts_with("rw") || line.ends_with("[stack]") || end - begin > (1u << 28))
      continue;
    std::vector<Limb> page(512);
    for (std::uintptr_t at = begin; at < end; at += 4096 - 8 * secret.size()) {
      const ssize_t got = pread(memory, page.data(), 4096, static_cast<off_t>(at));
      const size_t limbs = got > 0 ? static_cast<size_t>(got) / 8 : 0;
      for (size_t i = 0; i + secret.size() <= limbs; ++i) {
        size_t same = 0;
        while (same < secret.size() && (page[i + same] ^ kMask) == secret[same]) ++same;
        found += same == secret.size();
      }
    }
    std::fill(page.begin(), page.end(), 0);
  }
  close(memory);
  return found;
}

TEST(Wiped, a_key_leaves_no_copy_of_its_primes) {
  std::vector<Limb> p, q;
  {
    const Parties parties(1024);
    p = disguised(parties.secret.p);
    q = disguised(parties.secret.q);
    const auto message = parties.encrypt({mpz_class(5), mpz_class(-7)});
    EXPECT_EQ(parties.decrypt(message)[1], -7);
    EXPECT_GT(copies(p), 2u);  // the search sees them while the key lives
    EXPECT_GT(copies(q), 2u);
  }
  EXPECT_EQ(copies(p), 0u);
  EXPECT_EQ(copies(q), 0u);
}

}  // namespace
}  // namespace maskbench::paillier
