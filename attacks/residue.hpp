#pragma once

#include <cstdint>
#include <span>
#include <vector>

// What a masked vector tells if the values and the noise lie on two grids: x = v + c b with one
// integer c for all rows is v modulo |c|, free of noise, and rows of equal v have equal residues.
namespace maskbench {

struct Modulus {
  int64_t value = 1;
  double evidence = 0;  // log likelihood ratio: that many equal residues against evenly spread ones
};

// The modulus under which the residues of x are least evenly spread, found from x alone.
Modulus find_modulus(std::span<const int64_t> x, uint64_t seed);

// How far apart the two values are: `one`; `one + unit` in the rarer case that they were rounded
// away from each other.
struct Gap {
  int64_t one = 0;
  int64_t unit = 0;
};

// Of each row, > 0: v is the smaller of two values with such a gap. A residue r speaks for it if
// other rows are found at r + gap, against it if they are at r - gap.
std::vector<double> residue_scores(std::span<const int64_t> x, const Gap& gap,
                                   const Modulus& modulus);

// Is the value of row 0 `other` (1) or known[0] (-1), to a reader who knows those of all other
// rows? 0: both fit (what is left of the other rows has no common divisor), or neither does.
double residue_of_first(std::span<const int64_t> x, std::span<const int64_t> known, int64_t other);

}  // namespace maskbench
