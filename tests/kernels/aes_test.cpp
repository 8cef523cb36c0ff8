#include "kernels/random/aes.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/random/normal64.hpp"
#include "tests/kernels/conformance.hpp"
#include "tests/kernels/cuda_on_host/shim.hpp"
#include "tests/kernels/statistics.hpp"

namespace maskbench::kernels {
namespace {

using Bytes = std::array<uint8_t, 16>;

class Aes : public testing::Test {
  void SetUp() override {
    if (const std::string why = aes_missing(); !why.empty()) GTEST_SKIP() << why;
  }
};

Bytes bytes_of(const char* hex) {
  Bytes out{};
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<uint8_t>(std::stoi(std::string(hex + 2 * i, 2), nullptr, 16));
  return out;
}

Bytes encrypted(const AesKey& key, const Bytes& plain) {
  PhiloxBlock counter;
  std::memcpy(counter.x, plain.data(), plain.size());
  const PhiloxBlock block = random_block(counter, &key);
  Bytes out;
  std::memcpy(out.data(), block.x, out.size());
  return out;
}

Bytes encrypted(const char* key, const char* plain) {
  return encrypted(AesKey(bytes_of(key)), bytes_of(plain));
}

TEST_F(Aes, known_answers) {
  // FIPS 197, appendices B and C.1.
  EXPECT_EQ(encrypted("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734"),
            bytes_of("3925841d02dc09fbdc118597196a0b32"));
  EXPECT_EQ(encrypted("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff"),
            bytes_of("69c4e0d86a7b0430d8cdb78070b4c55a"));
  // SP 800-38A, F.5.1 (counter mode): the first and the last output block.
  EXPECT_EQ(encrypted("2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            bytes_of("ec8cdf7398607cb0f2d21675ea9ea1e4"));
  EXPECT_EQ(encrypted("2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafbfcfdff02"),
            bytes_of("e89c399ff0f198c6d40a31db156cabfe"));
}

// The last round key of FIPS 197, appendix A.1.
TEST_F(Aes, key_schedule) {
  const AesKey key(bytes_of("2b7e151628aed2a6abf7158809cf4f3c"));
  Bytes last;
  std::memcpy(last.data(), key.round(10), last.size());
  EXPECT_EQ(last, bytes_of("d014f9a8c9ee2589e13f0cc8b6630ca6"));
}

TEST_F(Aes, equals_openssl) {
  std::mt19937 rng(3);
  for (int i = 0; i < 1000; ++i) {
    Bytes key, plain, theirs;
    for (auto* bytes : {&key, &plain})
      for (uint8_t& b : *bytes) b = static_cast<uint8_t>(rng());
    EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
    int length = 0;
    ASSERT_EQ(EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nullptr, key.data(), nullptr), 1);
    ASSERT_EQ(EVP_EncryptUpdate(context, theirs.data(), &length, plain.data(), 16), 1);
    EVP_CIPHER_CTX_free(context);
    ASSERT_EQ(encrypted(AesKey(key), plain), theirs);
  }
}

std::shared_ptr<const AesKey> some_key(uint8_t first = 0x51) {
  Bytes bytes = bytes_of("00112233445566778899aabbccddeeff");
  bytes[0] = first;
  return std::make_shared<const AesKey>(bytes);
}

TEST_F(Aes, vectors_equal_the_scalar_loops) {
  const auto key = some_key();
  for (size_t count : {1, 31, 32, 127, 128, 129, 1000, 4096}) {
    const StreamIdOf<const AesKey*> id{key.get(), 3, 4, static_cast<uint32_t>(count), 6};
    std::vector<int32_t> fast(count), plain(count);
    simd_ops().normals(id, Stream::kRow, 4096, count, fast.data());
    scalar_ops().normals(id, Stream::kRow, 4096, count, plain.data());
    EXPECT_EQ(fast, plain) << count;
    EXPECT_EQ(simd_ops().noise_sum(id, 5000, count), scalar_ops().noise_sum(id, 5000, count));
  }
}

// Not only the best that this processor has: AES on 128, 256 and 512 bits.
TEST(SimdTargets, all_that_this_processor_has_give_the_same) {
  const auto drawn = [](auto key) {
    std::vector<int32_t> out(1000);
    simd_ops().normals(StreamIdOf{key, 3u, 4u, 5u, 6u}, Stream::kRow, 4096, out.size(), out.data());
    return out;
  };
  const auto key = aes_missing().empty() ? some_key() : nullptr;
  const PhiloxKey philox{1, 2};
  const auto wanted = drawn(philox);
  const auto wanted_aes = key ? drawn(key.get()) : wanted;
  const int64_t all = hwy::SupportedTargets();
  std::string names = simd_ops().name;
  for (const int64_t target : {HWY_AVX3_DL, HWY_AVX3, HWY_AVX2}) {
    if ((all & target) == 0) continue;
    const int64_t no_better = all & ~(target - 1);  // better targets have lower bits
    hwy::SetSupportedTargetsForTest(no_better);
    hwy::GetChosenTarget().Update(no_better);
    names += std::string(" ") + simd_ops().name;
    EXPECT_EQ(drawn(philox), wanted);
    EXPECT_EQ(key ? drawn(key.get()) : wanted, wanted_aes);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  std::printf("targets: %s\n", names.c_str());
}

TEST_F(Aes, backends_agree_in_every_integer_for_any_number_of_threads) {
  const auto key = some_key();
  for (Scene& scene : conformance_scenes()) {
    scene.draw.key = RandomKey(key);
    const Results wanted = run_all(*cpu(1, Simd::kScalar), scene);
    EXPECT_TRUE(run_all(*cpu(1), scene) == wanted);
    EXPECT_TRUE(run_all(*cpu(3), scene) == wanted);
    if (scene.draw.scale.empty() || scene.draw.scale[0].is_zero()) continue;
    scene.draw.key = RandomKey(some_key(0x52));
    EXPECT_FALSE(run_all(*cpu(1), scene) == wanted);
  }
}

TEST_F(Aes, is_refused_by_a_device) {
  Scene scene({300}, 1, noise_scale(9000, 4500));
  scene.draw.key = RandomKey(some_key());
  try {
    run_all(*shim_backend(), scene);
    FAIL() << "drawn";
  } catch (const KernelError& error) {
    EXPECT_NE(std::string(error.what()).find("noise.generator: aes"), std::string::npos);
  }
}

TEST_F(Aes, ten_million_draws_are_standard_normal) {
  const auto key = some_key();
  NormalSample sample;
  std::vector<int32_t> draws(1'000'000);
  for (uint32_t i = 0; i < 10; ++i) {
    const StreamIdOf<const AesKey*> id{key.get(), 1, 2, i, 0};
    simd_ops().normals(id, Stream::kRow, NormalSample::kSteps, draws.size(), draws.data());
    sample.add(draws);
  }
  EXPECT_EQ(judge(sample), std::vector<std::string>{});
}

// How far the share of output bits that change with one bit of the counter is from 1/2, over all
// 128 x 128 pairs of bits, in standard errors: the mean of the squares, which is 1 +- 0.011 for a
// random function.
double avalanche(const std::function<PhiloxBlock(PhiloxBlock)>& block_of) {
  constexpr int kTrials = 400;
  double sum = 0;
  for (uint32_t in = 0; in < 128; ++in) {
    std::array<int, 128> changed{};
    for (uint32_t t = 0; t < kTrials; ++t) {
      PhiloxBlock counter{{t, 7 * t, in, 1}};
      const PhiloxBlock a = block_of(counter);
      counter.x[in / 32] ^= 1u << (in % 32);
      const PhiloxBlock b = block_of(counter);
      for (size_t out = 0; out < 128; ++out)
        changed[out] += ((a.x[out / 32] ^ b.x[out / 32]) >> (out % 32)) & 1;
    }
    for (const int c : changed) sum += (c - kTrials / 2.0) * (c - kTrials / 2.0) / (kTrials / 4.0);
  }
  return sum / (128 * 128);
}

TEST_F(Aes, a_bit_of_the_counter_changes_half_of_the_block) {
  const auto key = some_key();
  EXPECT_NEAR(avalanche([&](PhiloxBlock c) { return random_block(c, key.get()); }), 1, 0.06);
  // The test's power: a cipher that stops after four of ten rounds.
  const auto too_short = [](PhiloxBlock c) {
    for (int i = 0; i < 4; ++i) c = philox_round(c, {1, 2});
    return c;
  };
  EXPECT_GT(avalanche(too_short), 1.2);
}

}  // namespace
}  // namespace maskbench::kernels
