#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "fuzz/targets.hpp"
#include "harness/base/error.hpp"
#include "harness/trees/model_io.hpp"
#include "harness/trees/predict.hpp"

namespace maskbench::fuzz {
namespace {

namespace fs = std::filesystem;

// A folder in memory, gone with the process.
class Place {
 public:
  Place() {
    std::string pattern = "/dev/shm/maskbench-fuzz-XXXXXX";
    must(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  void put(const char* name, std::string_view bytes) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

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
  static const Place place;
  static const Dataset data = some_rows();
  const size_t cut = bytes.find("\n==\n");
  const bool two = cut != std::string_view::npos;
  place.put("ap.json", bytes.substr(0, cut));
  place.put("pp.json", two ? bytes.substr(cut + 4) : bytes);
  try {
    const Model read = load_model(place.path());
    for (const float margin : predict_margins(read, data)) must(!std::isnan(margin));
  } catch (const Error& error) {
    must(std::string_view(error.what()).find("json.exception") == std::string_view::npos);
  }
}

}  // namespace maskbench::fuzz
