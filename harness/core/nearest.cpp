#include "harness/core/nearest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace maskbench {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // distances of a's prefix to every prefix of b
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> options) {
  std::string nearest;
  size_t least = std::numeric_limits<size_t>::max();
  for (const std::string& option : options) {
    const size_t distance = edit_distance(name, option);
    if (distance >= least) continue;
    least = distance;
    nearest = option;
  }
  return nearest;
}

}  // namespace maskbench
