#pragma once

#include "kernels/cuda/device_level.hpp"
#include "kernels/cuda/score.cuh"

namespace maskbench::kernels::device {

// The histograms of a level, kept on a Device.
template <class Device, class Kernels>
class DeviceHistograms final : public Histograms {
 public:
  explicit DeviceHistograms(DeviceLevel<Device, Kernels>& level) : level_(level) {
    for (auto& sums : sums_) sums.of(device(), level.largest() * level.features().bins());
    results_.reserve(device(), level.largest() * sizeof(BestCandidate));
  }

  void update(std::span<const GradientPair> gradients, bool rebind, bool fresh) override {
    const auto range = device().range("histogram");
    if (rebind) gradients_.set(device(), gradients);
    all_ = fresh || level_.name().depth == 0;
    std::swap(sums_[0], sums_[1]);
    const size_t count = level_.nodes() * level_.features().bins();
    GradientSum* sums = sums_[0].of(device(), count);
    device().zero(sums, count);
    device().launch(Kernels::histogram, level_.chunk_count(), level_.tile_count(),
                    level_.histogram_params(gradients_.data(), all_), sums);
  }

  void search(const HistogramScores& scores) override {
    const auto range = device().range("score");
    LevelSums sums = level_sums();
    if (!scores.responses.empty()) sums.responses = responses(scores.responses);
    device().launch(Kernels::best_splits, nodes(), 1, sums, scores.step, scores.params,
                    results_.template expect<BestCandidate>(device(), nodes()));
    results_.launched(device());
  }
  void found(std::span<BestCandidate> best) override {
    const auto found = results_.template wait<BestCandidate>(device(), best.size());
    std::copy(found.begin(), found.end(), best.begin());
  }

  void left_counts(std::span<uint32_t> counts) override {
    const auto range = device().range("count");
    const size_t most = level_.largest() * level_.features().candidates();
    results_.reserve(device(), most * sizeof(uint32_t));
    device().launch(Kernels::left_counts, nodes(), 1, level_sums(),
                    results_.template expect<uint32_t>(device(), counts.size()));
    results_.launched(device());
    const auto counted = results_.template wait<uint32_t>(device(), counts.size());
    std::copy(counted.begin(), counted.end(), counts.begin());
  }

  // The left sums of every candidate and the total, node after node, on the device.
  const GradientSum* left_sums() {
    const size_t of_node = level_.features().candidates() + 1;
    GradientSum* out = left_.of(device(), std::max(level_.largest(), level_.nodes()) * of_node);
    device().launch(Kernels::left_sums, nodes(), 1, level_sums(), out);
    return out;
  }

  std::span<const GradientSum> read() override {
    left_sums();  // derives what is not there yet
    return results_.fetch(device(), sums_[0].data(), level_.nodes() * level_.features().bins());
  }

 private:
  Device& device() { return level_.device(); }
  uint32_t nodes() const { return static_cast<uint32_t>(level_.nodes()); }

  LevelSums level_sums() {
    const Features& features = level_.features();
    return {level_.layout(),
            static_cast<uint32_t>(features.layout.size()),
            features.bins(),
            features.candidates(),
            level_.node_views(),
            all_,
            sums_[0].data(),
            sums_[1].data(),
            nullptr};
  }

  // They are a training's own: copied once.
  const Response* responses(std::span<const Response> of_features) {
    if (responses_.data() == nullptr) responses_.set(device(), of_features);
    return responses_.data();
  }

  DeviceLevel<Device, Kernels>& level_;
  Kept<Device, GradientPair> gradients_;
  Room<Device, GradientSum> sums_[2];  // of the level, and of the one above
  Room<Device, GradientSum> left_;
  Kept<Device, Response> responses_;
  Results<Device> results_;
  bool all_ = true;
};

}  // namespace maskbench::kernels::device
