#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/spec.hpp"
#include "harness/privacy/calibration.hpp"

namespace maskbench::privacy {

// The one grid that everything in a masked message lies on: noise, g and h are integers of the same
// step, so no remainder of <g> is free of noise (docs/protocol.md, masked). It follows from public
// numbers alone: the budget, R, the sizes of a node and the grid of the gradients. So either party
// knows it without a word.
//
// W = 1: c is a sign, and PP draws b with the deviation sqrt(C) sigma2 itself.
// W > 1: b has one scale for all candidates, and c carries the rest as integers without a common
// divisor, small beside the spread of b: else two values of g could be told apart by which sums
// c.b can form.
class MaskedGrid {
 public:
  // gradient_exponent: the gradients are multiples of 2^gradient_exponent. rows: of the training.
  // Throws Infeasible if R leaves no room between the smallest and the largest noise.
  MaskedGrid(const MaskedCalibration& calibration, const DeviationSpec& deviation,
             int gradient_exponent, int64_t rows);

  // In a node of so many rows a step of the messages is 2^shift steps of the gradients.
  int shift(int64_t rows) const;
  // PP's sigma2 as agreed, in steps of b, for a candidate of a node with this shift.
  double sigma2_steps(int shift, int64_t n_active, int64_t n_inactive) const;
  // |c| for W > 1, in steps of the messages for a step of b. At least what C asks for, whatever
  // rounding to integers takes away.
  double radius(int shift, int64_t n_active, int64_t n_inactive) const;
  // Do the entries of <g> and <h> need 64 bits?
  bool is_wide() const { return is_wide_; }
  size_t cell_bytes() const { return is_wide_ ? sizeof(int64_t) : sizeof(int32_t); }

  // Shifts outside this range are refused: 32 bits would not hold g, 64 bits not the sums.
  static constexpr int kMinShift = -10, kMaxShift = 24;
  bool fits() const;
  // Whether `fits` fails because there is too much noise, not too little.
  bool is_too_coarse() const;

 private:
  double deviation(int64_t n_active, int64_t n_inactive) const;  // of c.r, in steps of g
  double smallest(int64_t rows) const;  // over the candidates that such a node can have
  double largest(int64_t rows) const;
  void choose_steps();

  MaskedCalibration calibration_;
  DeviationSpec factors_;
  double gradient_step_;
  int64_t rows_;
  int noise_bits_ = 0;  // sigma2 of b has at most 2^noise_bits steps, and at least half of that ...
  int weight_bits_ = 0;  // ... and |c|, for W > 1, 2^weight_bits
  bool is_wide_ = false;
};

}  // namespace maskbench::privacy
