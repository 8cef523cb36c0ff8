#pragma once

// The host side of the device operations, over a Device that knows how to allocate, copy, launch,
// clear, scan and wait: kernels/cuda/cuda_device.cuh on a GPU, a shim in the tests. Everything a
// Device is given is done in order, and by all copies of it.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cuda/device_histograms.hpp"
#include "kernels/cuda/sums.cuh"

namespace maskbench::kernels::device {

// Which kernels to launch; a test puts a broken one in its place.
struct DefaultKernels {
  static constexpr auto number_rows = device::number_rows;
  static constexpr auto partition_rows = device::partition_rows;
  static constexpr auto gather_columns = device::gather_columns;
  static constexpr auto histogram = device::histogram;
  static constexpr auto best_splits = device::best_splits;
  static constexpr auto left_counts = device::left_counts;
  static constexpr auto left_sums = device::left_sums;
  static constexpr auto own_tiles = device::own_tiles;
  static constexpr auto count_active = device::count_active;
  static constexpr auto noise = device::noise;
  static constexpr auto mask32 = device::mask<int32_t>;
  static constexpr auto mask64 = device::mask<int64_t>;
  static constexpr auto sum_masked32 = device::sum_masked<int32_t>;
  static constexpr auto sum_masked64 = device::sum_masked<int64_t>;
  static constexpr auto rank_sums = device::rank_sums;
  static constexpr auto collapsed = device::collapsed;
  static constexpr auto best_noisy = device::best_noisy;
};

template <class Device, class Kernels = DefaultKernels>
class DeviceBackend final : public Backend {
 public:
  explicit DeviceBackend(Device device) : device_(std::move(device)), level_(device_) {}
  DeviceBackend(const DeviceBackend&) = delete;

  std::string name() const override { return device_.name(); }
  void bind(const Features& features, size_t largest_level) override {
    level_.bind(features, largest_level);
  }
  void begin_level(const Level& level) override { level_.begin(level); }
  std::unique_ptr<Histograms> histograms() override {
    return std::make_unique<DeviceHistograms<Device, Kernels>>(level_);
  }

  // A block's noise and what AP makes of it should stay in the cache between the kernels.
  size_t block_bytes() const override { return device_.l2_bytes() / 2; }
  size_t block_candidates() const override { return 1; }
  std::unique_ptr<CellStore> store(size_t bytes) override {
    const size_t least =
        std::max(block_bytes(), size_t{2} * sizeof(int64_t) * level_.features().rows());
    return cells_.store(device_, bytes, least);
  }

  void begin_candidates(const LevelCandidates& level) override {
    now_ = level;
    jobs_.reset();
    joint_ = {};
    if (!reserved_) reserve();
    reserved_ = true;
  }

  void noise(const Block& block, Cells<int32_t> b) override {
    const auto range = device_.range("noise");
    const NoiseTask task = tiles_of(block);
    device_.launch(Kernels::noise, warps_of(task.tiles), static_cast<uint32_t>(now_.draw.columns),
                   task, cells(b));
  }

  void mask(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
            const Weights& weights, int columns, const MaskedBlock<int32_t>& out) override {
    mask_cells(Kernels::mask32, block, b, values, weights, columns, out);
  }
  void mask(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
            const Weights& weights, int columns, const MaskedBlock<int64_t>& out) override {
    mask_cells(Kernels::mask64, block, b, values, weights, columns, out);
  }

  void aggregate(const Block& block, const MaskedBlock<const int32_t>& masked) override {
    sum_cells(Kernels::sum_masked32, block, masked);
  }
  void aggregate(const Block& block, const MaskedBlock<const int64_t>& masked) override {
    sum_cells(Kernels::sum_masked64, block, masked);
  }

  void fused(const JointInput& ap) override {
    const auto range = device_.range("fused");
    const SumParams sums = send_joint(ap, [&](size_t i) { return size_t{now_.active[i]}; });
    own_tiles();
    device_.launch(Kernels::rank_sums, warps_of(jobs_->tiles),
                   static_cast<uint32_t>(now_.draw.columns), *jobs_, sums);
  }

  void collapsed(const JointInput& ap) override {
    const auto range = device_.range("collapsed");
    const SumParams sums = send_joint(ap, [](size_t) { return size_t{0}; });
    device_.launch(Kernels::collapsed, threads_of(jobs_->count), 1, *jobs_, now_.draw.key.philox(),
                   sums);
  }

  void best(std::span<BestCandidate> best, const MaskedSums& sums) override {
    const auto range = device_.range("score");
    const NoisyScores& scores = now_.scores;
    // The best, then the sums, in one piece.
    static_assert(sizeof(BestCandidate) == 2 * sizeof(int64_t));
    const size_t wanted = best.size() + sums.g.size();
    BestCandidate* found = results_.template expect<BestCandidate>(device_, wanted);
    int64_t* noted = sums.g.empty() ? nullptr : reinterpret_cast<int64_t*>(found + best.size());
    const NoisyLevel level{jobs_->jobs,
                           sent_.first_job,
                           sent_.total,
                           sent_.lift,
                           scores.rule,
                           scores.step,
                           scores.params,
                           joint_.left,
                           level_.features().candidates(),
                           joint_.lift,
                           joint_.factor,
                           noted,
                           noted == nullptr ? nullptr : noted + sums.g.size()};
    device_.launch(Kernels::best_noisy, static_cast<uint32_t>(best.size()), 1, level, sums_g(),
                   sums_h(), found);
    results_.launched(device_);
    const auto ready = results_.template wait<BestCandidate>(device_, wanted);
    std::copy_n(ready.begin(), best.size(), best.begin());
    for (const BestCandidate& b : best)
      if (std::isnan(b.score)) throw KernelError(kSumTooLarge);
    if (noted == nullptr) return;
    std::copy_n(noted, sums.g.size(), sums.g.begin());
    std::copy_n(noted + sums.g.size(), sums.h.size(), sums.h.begin());
  }

 private:
  int64_t* sums_g() { return sums_.of(device_, 2 * now_.candidates.size()); }
  int64_t* sums_h() { return sums_g() + now_.candidates.size(); }

  template <class T>
  static T* cells(const Cells<T>& cells) {
    if (cells.empty()) return nullptr;
    return reinterpret_cast<T*>(CellPool<Device>::data(cells.store));
  }
  // Host values, which come from a party elsewhere, are copied first.
  template <class T>
  const T* cells(const Cells<const T>& cells, Kept<Device, std::byte>& kept) {
    if (cells.store != nullptr || cells.empty()) return DeviceBackend::cells<const T>(cells);
    return reinterpret_cast<const T*>(kept.set(device_, std::as_bytes(cells.host)));
  }

  // What a level can ask for at most, so that a training allocates at its start.
  size_t most_candidates() const { return level_.largest() * level_.features().candidates(); }
  size_t most_tiles() const {
    return level_.features().candidates() * (level_.features().rows() / kTile + level_.largest());
  }
  void reserve() {
    const auto columns = static_cast<size_t>(now_.draw.columns);
    const size_t results = level_.largest() + level_.features().candidates();  // sums: of the root
    owner_.of(device_, most_tiles());
    sums_.of(device_, 2 * most_candidates());
    results_.reserve(device_, results * sizeof(BestCandidate));
    level_.stage().begin(most_candidates() * (sizeof(Job) + 2 * columns * sizeof(int32_t)) +
                             level_.largest() * 4 * sizeof(uint64_t),
                         kParts);
  }
  static constexpr size_t kParts = 8;

  struct Placed {
    std::vector<Job> jobs;
    std::vector<uint32_t> first_job;  // of each node, and the end
    uint32_t tiles = 0;
  };

  // The level's candidates in tiles of what size_of(candidate) counts.
  template <class SizeOf>
  Placed place(SizeOf size_of) const {
    Placed out;
    size_t tiles = 0;
    for (size_t i = 0; i < now_.candidates.size(); ++i) {
      const ActiveSet& c = now_.candidates[i];
      while (out.first_job.size() <= c.node) out.first_job.push_back(static_cast<uint32_t>(i));
      out.jobs.push_back({c.node, c.id, now_.active[i], static_cast<uint32_t>(tiles), c.feature,
                          c.test.flip ? 1u : 0u, BinRange(c.test), now_.draw.scale[i],
                          now_.first_cell[i]});
      tiles += (size_of(i) + kTile - 1) / kTile;
    }
    check_tiles(tiles);
    out.first_job.resize(level_.nodes() + 1, static_cast<uint32_t>(now_.candidates.size()));
    out.tiles = static_cast<uint32_t>(tiles);
    return out;
  }
  size_t place_bytes() const {
    return now_.candidates.size() * sizeof(Job) + (level_.nodes() + 1) * sizeof(uint32_t) +
           now_.scores.total.size_bytes() + now_.scores.lift.size_bytes();
  }
  // Within a stage that has begun.
  void add(const Placed& placed) {
    Stage<Device>& stage = level_.stage();
    const auto columns = static_cast<uint32_t>(now_.draw.columns);
    jobs_ = Jobs{stage.add(placed.jobs),
                 static_cast<uint32_t>(placed.jobs.size()),
                 placed.tiles,
                 level_.node_views(),
                 owner_.of(device_, placed.tiles),
                 {PhiloxSchedule(now_.draw.key.philox()), static_cast<uint32_t>(level_.name().tree),
                  columns}};
    sent_ = {stage.add(placed.first_job), stage.add(now_.scores.total),
             stage.add(now_.scores.lift)};
    first_tile_.clear();
    for (const Job& job : placed.jobs) first_tile_.push_back(job.first_tile);
    first_tile_.push_back(placed.tiles);
  }
  void own_tiles() {
    device_.launch(Kernels::own_tiles, warps_of(jobs_->count), 1, *jobs_, owner_.data(), sums_g(),
                   sums_h());
  }

  // Jobs, tiles of rows and the active rows before each, once a level.
  void place_rows() {
    const Placed placed =
        place([&](size_t i) { return size_t{level_.sizes()[now_.candidates[i].node]}; });
    level_.stage().begin(place_bytes(), kParts);
    add(placed);
    level_.stage().send();
    own_tiles();
    const Columns columns{level_.columns(), static_cast<uint32_t>(level_.features().rows())};
    const size_t tiles = std::max<size_t>(placed.tiles, most_tiles());
    uint32_t* counts = counts_.of(device_, tiles);
    ranks_.of(device_, tiles);
    device_.launch(Kernels::count_active, warps_of(placed.tiles), 1, *jobs_, columns, counts);
    device_.exclusive_scan(counts, ranks_.data(), placed.tiles);
  }

  NoiseTask tiles_of(const Block& block) {
    if (!jobs_) place_rows();
    const Columns columns{level_.columns(), static_cast<uint32_t>(level_.features().rows())};
    return {*jobs_,
            columns,
            ranks_.data(),
            first_tile_[block.first],
            first_tile_[block.end] - first_tile_[block.first],
            now_.first_cell[block.first]};
  }

  template <class Kernel, class Cell>
  void mask_cells(Kernel kernel, const BlockLayout& block, Cells<const int32_t> b,
                  const MaskValues& values, const Weights& weights, int columns,
                  const MaskedBlock<Cell>& out) {
    const auto range = device_.range("mask");
    std::vector<MaskJob> jobs;
    uint32_t tiles = 0;
    for (size_t i = 0; i < block.candidates.size(); ++i) {
      const uint32_t node = block.candidates[i].node;
      jobs.push_back({node, tiles, block.first_cell[i]});
      tiles += (level_.sizes()[node] + kTile - 1) / kTile;
    }
    if (values.rebind) values_.set(device_, values.gradients);
    Stage<Device>& stage = level_.stage();
    stage.begin(jobs.size() * sizeof(MaskJob) + values.lift.size_bytes() + weights.c.size_bytes() +
                    weights.d.size_bytes(),
                kParts);
    const MaskParams params{stage.add(jobs),
                            static_cast<uint32_t>(jobs.size()),
                            tiles,
                            level_.node_views(),
                            level_.rows(),
                            values_.data(),
                            stage.add(values.lift),
                            stage.add(weights.c),
                            stage.add(weights.d),
                            static_cast<uint32_t>(columns)};
    stage.send();
    device_.launch(kernel, warps_of(tiles), 1, params, cells(b, host_noise_), cells(out.g),
                   cells(out.h));
  }

  template <class Kernel, class Cell>
  void sum_cells(Kernel kernel, const Block& block, const MaskedBlock<const Cell>& masked) {
    const auto range = device_.range("aggregate");
    const NoiseTask task = tiles_of(block);
    device_.launch(kernel, warps_of(task.tiles), 1, task, cells(masked.g, host_g_),
                   cells(masked.h, host_h_), sums_g(), sums_h());
  }

  // Jobs and AP's weights, and the exact sums.
  template <class SizeOf>
  SumParams send_joint(const JointInput& ap, SizeOf size_of) {
    auto& exact = dynamic_cast<DeviceHistograms<Device, Kernels>&>(ap.exact);
    Stage<Device>& stage = level_.stage();
    const Placed placed = place(size_of);
    stage.begin(place_bytes() + ap.weights.c.size_bytes() + ap.weights.d.size_bytes() +
                    ap.lift.size_bytes(),
                kParts);
    add(placed);
    const SumParams sums{stage.add(ap.weights.c), stage.add(ap.weights.d), sums_g(), sums_h()};
    joint_.lift = stage.add(ap.lift);
    stage.send();
    joint_.left = exact.left_sums();
    joint_.factor = ap.factor;
    return sums;
  }

  // What best() needs of a level.
  struct Sent {
    const uint32_t* first_job = nullptr;
    const GradientSum* total = nullptr;
    const int32_t* lift = nullptr;
  };
  // In the simulated modes: what best() adds to the noise.
  struct Joint {
    const GradientSum* left = nullptr;
    const int32_t* lift = nullptr;
    double factor = 1;
  };

  Device device_;
  DeviceLevel<Device, Kernels> level_;
  CellPool<Device> cells_;
  LevelCandidates now_;
  std::optional<Jobs> jobs_;
  Sent sent_;
  std::vector<uint32_t> first_tile_;  // of each candidate, and the end
  Joint joint_;
  Room<Device, uint32_t> owner_, counts_, ranks_;
  Room<Device, int64_t> sums_;  // g, then h, of each candidate
  Kept<Device, GradientPair> values_;
  Kept<Device, std::byte> host_noise_, host_g_, host_h_;
  bool reserved_ = false;
  Results<Device> results_;
};

}  // namespace maskbench::kernels::device
