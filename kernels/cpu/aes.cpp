#include "kernels/random/aes.hpp"

#include <strings.h>

#include <cstring>

#include "kernels/noise.hpp"

#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/aes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace maskbench::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway counts a target as SSE4 or better only if the processor has the AES instructions too.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4

const char* why_no_aes() {
  return nullptr;
}

// SubWord of FIPS 197: a state of four equal columns is not changed by ShiftRows.
uint32_t sub_word(uint32_t word) {
  const hn::Full128<uint32_t> d;
  const hn::Full128<uint8_t> bytes;
  const auto state = hn::BitCast(bytes, hn::Set(d, word));
  return hn::GetLane(hn::BitCast(d, hn::AESLastRound(state, hn::Zero(bytes))));
}

void expand_key(const uint8_t* key, uint8_t* schedule) {
  constexpr size_t kWords = 4 * (AesKey::kRounds + 1);
  uint32_t w[kWords];
  std::memcpy(w, key, AesKey::kBytes);
  uint32_t rcon = 1;
  for (size_t i = 4; i < kWords; ++i) {
    uint32_t next = w[i - 1];
    if (i % 4 == 0) {
      next = sub_word(next >> 8 | next << 24) ^ rcon;  // RotWord of a little-endian word
      rcon = (rcon << 1) ^ (rcon >> 7) * 0x11bu;
    }
    w[i] = w[i - 4] ^ next;
  }
  std::memcpy(schedule, w, sizeof w);
  explicit_bzero(w, sizeof w);
}

PhiloxBlock encrypt(PhiloxBlock counter, const AesKey* key) {
  const hn::Full128<uint8_t> d;
  const auto round_key = [&](size_t i) HWY_ATTR { return hn::Load(d, key->round(i)); };
  alignas(16) uint8_t bytes[AesKey::kBytes];
  std::memcpy(bytes, counter.x, sizeof bytes);
  auto state = hn::Xor(hn::Load(d, bytes), round_key(0));
  for (size_t i = 1; i < AesKey::kRounds; ++i) state = hn::AESRound(state, round_key(i));
  hn::Store(hn::AESLastRound(state, round_key(AesKey::kRounds)), d, bytes);
  std::memcpy(counter.x, bytes, sizeof bytes);
  return counter;
}

#else

const char* why_no_aes() {
  return "noise.generator: aes needs a processor with AES instructions (AES-NI), and this one has "
         "none; set noise.generator: philox";
}

void expand_key(const uint8_t*, uint8_t*) {
  throw KernelError(why_no_aes());
}

PhiloxBlock encrypt(PhiloxBlock, const AesKey*) {
  throw KernelError(why_no_aes());
}

#endif

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace maskbench {

namespace kernels {
HWY_EXPORT(why_no_aes);
HWY_EXPORT(expand_key);
HWY_EXPORT(encrypt);
}  // namespace kernels

AesKey::AesKey(std::span<const uint8_t, kBytes> key) {
  using namespace kernels;
  HWY_DYNAMIC_DISPATCH(expand_key)(key.data(), schedule_[0]);
}

AesKey::~AesKey() {
  explicit_bzero(schedule_, sizeof schedule_);
}

PhiloxBlock random_block(PhiloxBlock counter, const AesKey* key) {
  using namespace kernels;
  return HWY_DYNAMIC_DISPATCH(encrypt)(counter, key);
}

std::string aes_missing() {
  using namespace kernels;
  const char* why = HWY_DYNAMIC_DISPATCH(why_no_aes)();
  return why == nullptr ? "" : why;
}

}  // namespace maskbench
#endif
