#include <cmath>
#include <limits>

#include "fuzz/targets.hpp"
#include "harness/base/error.hpp"
#include "harness/trees/model_io.hpp"
#include "harness/trees/predict.hpp"

namespace maskbench::fuzz {
namespace {

Dataset some_rows() {
  Dataset data;
  for (int f = 0; f < 4; ++f) {
    Column column{"x" + std::to_string(f), {}, {}};
    for (int row = 0; row < 8; ++row)
      column.values.push_back(row == 3 ? std::numeric_limits<float>::quiet_NaN()
                                       : static_cast<float>(row * f) / 7);
    if (f == 3) {
      column.categories = {"a", "b", "c"};
      column.values.assign(8, 1.0f);
    }
    data.features.push_back(std::move(column));
  }
  data.labels.assign(8, 0.0f);
  return data;
}

}  // namespace

void model(std::string_view bytes) {
  static const Dataset data = some_rows();
  const size_t cut = bytes.find("\n==\n");
  const std::string ap(bytes.substr(0, cut));
  try {
    const Model read =
        parse_model(ap, cut == std::string_view::npos ? ap : std::string(bytes.substr(cut + 4)));
    for (const float margin : predict_margins(read, data)) must(!std::isnan(margin));
  } catch (const Error& error) {
    must(std::string_view(error.what()).find("json.exception") == std::string_view::npos);
  }
}

}  // namespace maskbench::fuzz
