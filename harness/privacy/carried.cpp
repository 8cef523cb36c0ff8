#include "harness/privacy/carried.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/privacy/errors.hpp"

namespace maskbench::privacy {
namespace {

// The eps at which sigma meets the bound, to a thousandth, from the side that works.
double nearest(const std::function<double(double)>& sigma, double bad, double bound) {
  const bool too_wide = sigma(bad) > bound;  // then a larger eps works
  double good = bad;
  const double factor = too_wide ? 10 : 0.1;
  while (too_wide ? sigma(good) > bound : sigma(good) < bound) {
    bad = good;
    good *= factor;
    if (!(good > 0) || std::isinf(good)) return good;
  }
  while (std::abs(std::log(good / bad)) > 1e-3) {
    const double middle = std::sqrt(good) * std::sqrt(bad);
    const bool works = too_wide ? sigma(middle) <= bound : sigma(middle) >= bound;
    (works ? good : bad) = middle;
  }
  return good;
}

[[noreturn]] void refuse(const std::string& key, double eps, bool too_small, double works) {
  const char* what = too_small ? "is smaller than the arithmetic carries; the smallest that works"
                               : "leaves less noise than the arithmetic carries; the largest that "
                                 "works";
  // Rounded to the side that works.
  const double digits = std::pow(10.0, std::floor(std::log10(works)) - 2);
  const double shown =
      (too_small ? std::ceil(works / digits) : std::floor(works / digits)) * digits;
  throw InvalidBudget(fmt::format("{} {:g} {} here is {:.3g}{}", key, eps, what, shown,
                                  too_small ? "" : ", or set privacy.zero_noise"));
}

}  // namespace

void check_carried(const std::string& key, double eps, double low, double high) {
  if (!(eps >= low)) refuse(key, eps, true, low);
  if (!(eps <= high)) refuse(key, eps, false, high);
}

void check_sigma_carried(const std::string& key, double eps,
                         const std::function<double(double)>& sigma, double low, double high) {
  const double now = sigma(eps);
  if (!(now <= high)) refuse(key, eps, true, nearest(sigma, eps, high));
  if (!(now >= low)) refuse(key, eps, false, nearest(sigma, eps, low));
}

}  // namespace maskbench::privacy
