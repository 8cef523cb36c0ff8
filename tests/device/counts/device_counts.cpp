// What a tree asks of a GPU, counted on the host: device_counts SHAPE [ROWS FEATURES]
//
// Trains a few trees of depth 6 in every mode on synthetic data of a known shape (or of ROWS x
// FEATURES) with the CUDA backend's own source on the shim, and prints one line of JSON a mode
// about the last, both parties together: launches, copies, bytes over PCIe,
// synchronisations, blocks of cells, cells, and the processor seconds of the host's own work,
// without the shim's (the least of the trees but the first).
//
// Kernels whose work grows with the cells are counted and not run, because fibres would take
// minutes; so masked finds no split of PP's here. AP's splits fill the levels all the same.
// clang-format off
#include "tests/device/counted_training.hpp"
// clang-format on

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "baselines/methods.hpp"
#include "harness/judge/prepare.hpp"
#include "harness/masked/masked.hpp"

namespace maskbench {
namespace {

namespace kd = kernels::device;

struct FewKernels : kd::DefaultKernels {
  static constexpr decltype(&kd::count_active) count_active = nullptr;
  static constexpr decltype(&kd::noise) noise = nullptr;
  static constexpr decltype(&kd::mask<int32_t>) mask32 = nullptr;
  static constexpr decltype(&kd::mask<int64_t>) mask64 = nullptr;
  static constexpr decltype(&kd::sum_masked<int32_t>) sum_masked32 = nullptr;
  static constexpr decltype(&kd::sum_masked<int64_t>) sum_masked64 = nullptr;
  static constexpr decltype(&kd::rank_sums) rank_sums = nullptr;
};

constexpr size_t kL2 = size_t{40} << 20;  // an A100's
constexpr int kTrees = 5;

RunSpec spec_of(const std::string& shape, int64_t rows, int features) {
  RunSpec spec;
  spec.data.dataset = shape;
  spec.data.source = Source::synthetic;
  spec.data.rows = rows;
  spec.data.features = features;
  spec.train.rounds = kTrees;
  spec.train.max_depth = 6;
  return spec;
}

void count(const std::string& mode, const RunSpec& spec, const PreparedData& data) {
  const Method& method = mode == "nonprivate" ? nonprivate_method() : masked_method();
  Records records;
  const counted::Training t = counted::train<FewKernels>(
      method, spec, counted::Data{data.ap, data.pp, data.train_labels}, records, kL2);
  size_t launches = 0, copies = 0, bytes = 0, synchronisations = 0;
  for (size_t party : {0, 1}) {
    const counted::Counts tree = t.trees[kTrees - 1][party] - t.trees[kTrees - 2][party];
    launches += tree.launches;
    copies += tree.copies;
    bytes += tree.bytes;
    synchronisations += tree.synchronisations;
  }
  const counted::Counts pp = t.trees[kTrees - 1][1] - t.trees[kTrees - 2][1];
  const uint64_t cells = records.tape.bytes(Party::pp, Kind::noise) / sizeof(int32_t) / kTrees;
  fmt::print(
      "{{\"mode\": \"{}\", \"rows\": {}, \"candidates\": {}, \"launches\": {}, \"copies\": {}, "
      "\"bytes\": {}, \"synchronisations\": {}, \"blocks\": {}, \"cells\": {}, "
      "\"host_seconds\": {:.6f}}}\n",
      mode, data.pp.bins.rows, data.pp.candidates.size(), launches, copies, bytes, synchronisations,
      pp.blocks, mode == "nonprivate" ? 0 : cells,
      *std::min_element(t.host_seconds.begin() + 1, t.host_seconds.end()));
}

int run(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    fmt::print(stderr, "usage: device_counts SHAPE [ROWS FEATURES]\n");
    return 2;
  }
  RunSpec spec =
      spec_of(argv[1], argc == 4 ? std::stoll(argv[2]) : 0, argc == 4 ? std::stoi(argv[3]) : 0);
  ThreadPool pool(2);
  const auto data = prepare(spec, "", pool);
  count("nonprivate", spec, *data);
  for (Mode mode : {Mode::materialised, Mode::fused, Mode::collapsed}) {
    spec.mode = mode;
    count(std::string(name_of(mode)), spec, *data);
  }
  return 0;
}

}  // namespace
}  // namespace maskbench

int main(int argc, char** argv) {
  try {
    return maskbench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "device_counts: {}\n", error.what());
    return 1;
  }
}
