#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/score.hpp"

namespace maskbench {

// How the rows' buckets of a feature were moved: each kept with probability `keep`, else any other
// one with probability `other`.
struct Response {
  double keep = 1;
  double other = 0;

  MB_HD bool is_plain() const { return keep == 1 && other == 0; }
};

// Undoes the response in expectation: (sum of the bucket - other * total)/(keep - other).
MB_HD inline GradientSum undo(const Response& response, GradientSum bucket, GradientSum total) {
  const auto one = [&](int64_t sum, int64_t all) {
    const double moved = response.other * static_cast<double>(all);
    return static_cast<int64_t>(
        llround((static_cast<double>(sum) - moved) / (response.keep - response.other)));
  };
  return {one(bucket.g, total.g), one(bucket.h, total.h)};
}

}  // namespace maskbench
