// The grids of the noise and of AP's weights: what noise_steps and choose_shift promise the
// kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/masked/active.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench {
namespace {

namespace mk = kernels;

mk::NoiseScale scale_of(double R, const DeviationSpec& deviation) {
  const double steps = noise_steps(R, deviation);
  return mk::noise_scale(std::sqrt(R) * steps * deviation.pp_sigma1, steps * deviation.pp_sigma2);
}

// 2^23 / (1.01 * 6.56 * (2 sqrt(R) + 1)) is 2^12 at R = 2.3e4.
TEST(NoiseSteps, the_noise_fits_a_cell_and_sigma2_has_4096_steps) {
  for (double R = 1e-6; R < 2e4; R *= 1.7) {
    const double steps = noise_steps(R, {});
    EXPECT_GE(steps, mk::kMinSteps) << R;
    EXPECT_LE(steps, 0x1p14) << R;
    EXPECT_LT(mk::kNormalMax * (2 * std::sqrt(R) + 1) * steps, mk::kMaxCell) << R;
    EXPECT_NO_THROW(scale_of(R, {})) << R;
    EXPECT_FLOAT_EQ(scale_of(R, {}).sigma1 / scale_of(R, {}).sigma2,
                    static_cast<float>(std::sqrt(R)));
  }
  EXPECT_EQ(noise_steps(1, {}), 0x1p14);
  EXPECT_THROW(scale_of(1e5, {}), mk::KernelError);  // refused, never drawn too coarsely
}

TEST(NoiseSteps, leaves_room_for_a_PP_that_draws_other_noise_than_agreed) {
  for (double R : {0.01, 1.0, 10.0}) {
    for (double sigma1 : {0.0, 0.5, 1.0, 4.0}) {
      for (double sigma2 : {0.1, 0.5, 1.0, 4.0, 16.0}) {
        DeviationSpec deviation;
        deviation.pp_sigma1 = sigma1;
        deviation.pp_sigma2 = sigma2;
        const double steps = noise_steps(R, deviation);
        EXPECT_NO_THROW(scale_of(R, deviation)) << R << ' ' << sigma1 << ' ' << sigma2;
        EXPECT_GE(steps * sigma2, mk::kMinSteps) << R << ' ' << sigma1 << ' ' << sigma2;
        // AP reckons with the noise agreed on: that must fit too.
        EXPECT_LT(mk::kNormalMax * (2 * std::sqrt(R) + 1) * steps, mk::kMaxCell);
      }
    }
  }
  DeviationSpec extreme;  // no grid is fine enough for the one and wide enough for the other
  extreme.pp_sigma1 = 16;
  extreme.pp_sigma2 = 0.02;
  EXPECT_THROW(scale_of(1, extreme), mk::KernelError);
}

// One node of so many rows, one candidate, and the weights that AP would draw for it.
struct Weighed {
  Weighed(double radius, uint32_t rows, int W, int by)
      : begin{0, rows}, c(static_cast<size_t>(W)), d(static_cast<size_t>(W)), shift(by) {
    const mk::StreamId id{{1, 2}, 0, 0, 0, 0};
    mk::draw_sphere(id, mk::Stream::kSphereC, std::ldexp(radius, shift), c);
    mk::draw_sphere(id, mk::Stream::kSphereD, std::ldexp(radius, shift), d);
  }
  void check() const {
    const mk::LevelRows level{0, {}, begin, node_id};
    const size_t cells[] = {0, begin[1]};
    mk::check_bounds({level, {candidates}, cells}, {c, d, shift}, static_cast<int>(c.size()));
  }
  // |c| in units before the shift.
  double norm() const {
    double squares = 0;
    for (int32_t v : c) squares += double(v) * v;
    return std::ldexp(std::sqrt(squares), -shift);
  }

  std::vector<uint32_t> begin, node_id = {0};
  mk::ActiveSet candidates[1] = {{}};
  std::vector<int32_t> c, d;
  int shift;
};

// Nodes of few rows leave room for shifts at which c itself would not fit its 32 bits.
TEST(ChooseShift, no_sum_can_overflow_and_c_keeps_its_length) {
  int smallest = 100, largest = -1;
  for (int W : {1, 3, 16, 256}) {
    for (uint32_t rows : {1u, 40u, 3000u, 200'000u, 11'000'000u, 1u << 27}) {
      for (double radius = 0.5; radius < 0x1p31; radius *= 3) {
        const double least = rows * mk::kMaxCell * (1 + radius * std::sqrt(W));
        if (least >= 0x1p62) continue;  // no shift would do
        const int shift = choose_shift(radius, rows, W);
        ASSERT_GE(shift, 0);
        ASSERT_LE(shift, 10);
        smallest = std::min(smallest, shift);
        largest = std::max(largest, shift);
        const Weighed weighed(radius, rows, W, shift);
        EXPECT_NO_THROW(weighed.check()) << radius << ' ' << rows << ' ' << W << ' ' << shift;
        // Rounding moves each entry by at most half a unit of 2^-shift.
        EXPECT_NEAR(weighed.norm(), radius, std::ldexp(0.5 * std::sqrt(W) + 1e-9 * radius, -shift))
            << radius << ' ' << rows << ' ' << W << ' ' << shift;
      }
    }
  }
  EXPECT_EQ(smallest, 0);
  EXPECT_EQ(largest, 10);
}

TEST(ChooseShift, is_the_largest_that_fits) {
  for (int W : {1, 16}) {
    for (uint32_t rows : {3000u, 200'000u, 11'000'000u}) {
      for (double radius = 0.5; radius < 0x1p20; radius *= 2) {
        const double unshifted = rows * mk::kMaxCell * (1 + radius * std::sqrt(W));
        if (unshifted >= 0x1p62) continue;
        const int shift = choose_shift(radius, rows, W);
        EXPECT_LT(std::ldexp(unshifted, shift), 0x1p62);
        if (shift < 10) {
          EXPECT_GE(std::ldexp(unshifted, shift + 1), 0x1p62);
        }
      }
    }
  }
}

// Too much noise for 63 bits is an error, never a sum gone wrong.
TEST(ChooseShift, what_no_shift_can_hold_is_refused) {
  const double radius = 0x1p22;
  const uint32_t rows = 1u << 27;
  EXPECT_THROW(Weighed(radius, rows, 1, choose_shift(radius, rows, 1)).check(), mk::KernelError);
  EXPECT_THROW(choose_shift(0x1p32, 1, 1), mk::KernelError);  // c has 32 bits
}

}  // namespace
}  // namespace maskbench
