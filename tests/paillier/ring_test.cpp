#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>

#include "baselines/paillier/fixed_base.hpp"
#include "baselines/paillier/square_ring.hpp"
#include "harness/base/error.hpp"

namespace maskbench::paillier {
namespace {

// Seeded numbers, now and then with long runs of ones or zeros, where carries travel furthest.
class Numbers {
 public:
  mpz_class bits(std::size_t count) {
    mpz_class value = 0;
    const unsigned style = generator_() % 4;
    for (std::size_t i = 0; i < count; i += 64) {
      const std::uint64_t word = style == 0   ? ~std::uint64_t{0}
                                 : style == 1 ? generator_() & 1
                                              : generator_();
      value = (value << 64) + mpz_class(static_cast<unsigned long>(word));
    }
    mpz_fdiv_r_2exp(value.get_mpz_t(), value.get_mpz_t(), count);
    return value;
  }

 private:
  std::mt19937_64 generator_{7};
};

std::vector<mpz_class> moduli(std::size_t bits, Numbers& numbers) {
  const mpz_class power = mpz_class(1) << bits;
  mpz_class random = numbers.bits(bits);
  mpz_setbit(random.get_mpz_t(), bits - 1);
  mpz_setbit(random.get_mpz_t(), 0);
  return {random, power - 1, power / 2 + 1};
}

class Ring : public testing::TestWithParam<std::size_t> {};

TEST_P(Ring, products_equal_those_of_plain_integers) {
  Numbers numbers;
  for (const mpz_class& n : moduli(GetParam(), numbers)) {
    const SquareRing ring(n);
    const mpz_class squared = n * n;
    std::vector<mpz_class> values{0, 1, n - 1, n, n + 1, squared - 1, squared - n};
    for (int i = 0; i < 20; ++i) values.push_back(numbers.bits(2 * GetParam()) % squared);
    std::vector<Limb> x(ring.limbs()), y(ring.limbs()), z(ring.limbs());
    for (const mpz_class& a : values) {
      ring.from_integer(x.data(), a);
      EXPECT_EQ(ring.to_integer(x.data()), a);
      ring.square(z.data(), x.data());
      EXPECT_EQ(ring.to_integer(z.data()), a * a % squared);
      for (const mpz_class& b : values) {
        ring.from_integer(y.data(), b);
        ring.multiply(z.data(), x.data(), y.data());
        EXPECT_EQ(ring.to_integer(z.data()), a * b % squared);
        ring.multiply(y.data(), x.data(), y.data());
        EXPECT_EQ(y, z) << "in place";
      }
    }
  }
}

TEST_P(Ring, halves_are_always_below_the_modulus) {
  Numbers numbers;
  for (const mpz_class& n : moduli(GetParam(), numbers)) {
    const SquareRing ring(n);
    std::vector<Limb> x(ring.limbs());
    ring.from_integer(x.data(), n * n - 1);
    for (int i = 0; i < 100; ++i) {
      ring.square(x.data(), x.data());
      EXPECT_LT(read_limbs(x.data(), ring.half()), n);
      EXPECT_LT(read_limbs(x.data() + ring.half(), ring.half()), n);
    }
  }
}

TEST_P(Ring, powers_equal_gmps) {
  Numbers numbers;
  const mpz_class n = moduli(GetParam(), numbers)[0], squared = n * n;
  const SquareRing ring(n);
  std::vector<Limb> x(ring.limbs()), y(ring.limbs());
  for (int i = 0; i < 10; ++i) {
    const mpz_class base = numbers.bits(2 * GetParam()) % squared, exponent = numbers.bits(192);
    mpz_class expected;
    mpz_powm(expected.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), squared.get_mpz_t());
    std::vector<Limb> limbs(3);
    write_limbs(limbs.data(), 3, exponent);
    ring.from_integer(x.data(), base);
    ring.power_secret(y.data(), x.data(), limbs);
    EXPECT_EQ(ring.to_integer(y.data()), expected);
    ring.power_public(y.data(), x.data(), exponent);
    EXPECT_EQ(ring.to_integer(y.data()), expected);
  }
}

// Nine powers of 2 modulo (2^bits - 1)^2, with exponents of every length, against GMP.
void expect_fixed_base_right(std::size_t modulus_bits, std::size_t exponent_bits) {
  Numbers numbers;
  const mpz_class n = (mpz_class(1) << modulus_bits) - 1, squared = n * n, base = 2;
  const SquareRing ring(n);
  std::vector<Limb> start(ring.limbs());
  ring.from_integer(start.data(), base);
  const FixedBase table(ring, start.data(), exponent_bits);
  const std::size_t count = 9, width = ring.limbs(), digits = table.exponent_limbs();
  std::vector<Limb> products, logs(count * ring.half()), exponents(count * digits);
  std::vector<mpz_class> expected;
  for (std::size_t i = 0; i < count; ++i) {
    products.insert(products.end(), ring.one(), ring.one() + width);
    const mpz_class exponent = numbers.bits(64 * digits);
    write_limbs(&exponents[i * digits], digits, exponent);
    mpz_class used, power;
    mpz_fdiv_r_2exp(used.get_mpz_t(), exponent.get_mpz_t(), exponent_bits);
    mpz_powm(power.get_mpz_t(), base.get_mpz_t(), used.get_mpz_t(), squared.get_mpz_t());
    expected.push_back(power);
  }
  table.multiply_powers(products, logs, exponents);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(ring.to_integer(&products[i * width]), expected[i]) << LaneModulus::target();
}

TEST_P(Ring, fixed_base_powers_equal_gmps) {
  for (const std::size_t bits : {60u, 128u, 320u}) expect_fixed_base_right(GetParam(), bits);
}

TEST(Lanes, every_vector_unit_of_this_processor_is_right) {
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<std::string> names;
  for (std::int64_t target = 1; target > 0 && target <= HWY_SCALAR; target <<= 1) {
    if ((supported & target) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    names.emplace_back(LaneModulus::target());
    for (const std::size_t bits : {512u, 1024u, 3072u, 4096u}) expect_fixed_base_right(bits, 100);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  RecordProperty("targets", testing::PrintToString(names));
  EXPECT_FALSE(names.empty());
}

// 256 and 320 bits take GMP's route, the others (whole blocks of eight limbs) this processor's.
INSTANTIATE_TEST_SUITE_P(Bits, Ring, testing::Values(256, 320, 512, 1024, 1536, 2048, 3072, 4096));

TEST(Limbs, select_row_finds_every_row) {
  for (const std::size_t limbs : {8u, 16u, 32u, 48u}) {
    std::vector<Limb> rows(64 * limbs), row(limbs);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = ~i;
    for (std::size_t index = 0; index < 64; ++index) {
      select_row(row.data(), rows.data(), limbs, 64, index);
      for (std::size_t j = 0; j < limbs; ++j) EXPECT_EQ(row[j], ~(index * limbs + j));
    }
  }
}

TEST(Limbs, scratch_is_large_enough_for_gmp) {
  for (mp_size_t k = 1; k <= static_cast<mp_size_t>(kMaxLimbs); ++k)
    EXPECT_LE(mpn_sec_mul_itch(k, k), static_cast<mp_size_t>(8 * kMaxLimbs));
}

TEST(RingModulus, refuses_a_modulus_it_cannot_hold) {
  EXPECT_THROW(SquareRing(mpz_class(15)), Error);
  EXPECT_THROW(SquareRing(mpz_class(1) << 127), Error);
  EXPECT_THROW(SquareRing((mpz_class(1) << 4160) - 1), Error);
}

}  // namespace
}  // namespace maskbench::paillier
