// The operations histogram and score against sums and scores written down plainly.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "kernels/fork_guard.hpp"
#include "tests/kernels/conformance.hpp"

namespace maskbench::kernels {
namespace {

struct Split {
  size_t feature;
  uint32_t bin;
  bool missing_left;
};

// The order of candidates as the protocol states it.
std::vector<Split> splits_of(std::span<const FeatureBins> features) {
  std::vector<Split> splits;
  for (size_t f = 0; f < features.size(); ++f) {
    for (uint32_t bin = 0; bin + 1u < features[f].value_bins; ++bin) {
      splits.push_back({f, bin, false});
      if (features[f].has_missing) splits.push_back({f, bin, true});
    }
    if (features[f].has_missing) splits.push_back({f, features[f].value_bins - 1u, false});
  }
  return splits;
}

GradientSum sum_where(const SearchScene& scene, const std::vector<uint32_t>& rows, auto test) {
  GradientSum sum;
  for (uint32_t row : rows) {
    if (test(row)) sum += {scene.gradients()[row].g, scene.gradients()[row].h};
  }
  return sum;
}

TEST(Search, histograms_are_the_sums_over_the_rows_of_each_bin) {
  for (const SearchScene& scene : search_scenes()) {
    const SearchResults r = run_search(*cpu(2), scene);
    const size_t stride = scene.features().size();
    const size_t total = scene.offsets().back();
    for (size_t v = 0; v < scene.nodes().size(); ++v) {
      std::vector<GradientSum> direct(total);
      for (uint32_t row : scene.nodes()[v]) {
        for (size_t f = 0; f < stride; ++f) {
          direct[scene.offsets()[f] + scene.bins().bins[row * stride + f]] +=
              {scene.gradients()[row].g, scene.gradients()[row].h};
        }
      }
      const auto* begin = r.histograms.data() + v * total;
      EXPECT_EQ(std::vector(begin, begin + total), direct);
    }
  }
}

TEST(Search, the_best_is_the_first_of_the_highest_gain_over_all_candidates) {
  const SearchScene scene({700, 40});
  const SearchResults r = run_search(*cpu(1), scene);
  const std::vector<Split> splits = splits_of(scene.features());
  const auto real = [](int64_t v) { return static_cast<double>(v) * 0x1p-20; };
  for (size_t v = 0; v < scene.nodes().size(); ++v) {
    const GradientSum all = sum_where(scene, scene.nodes()[v], [](uint32_t) { return true; });
    double best = kNoSplit;
    uint32_t first = kNoCandidate;
    for (uint32_t i = 0; i < splits.size(); ++i) {
      const FeatureBins& feature = scene.features()[splits[i].feature];
      const GradientSum left = sum_where(scene, scene.nodes()[v], [&](uint32_t row) {
        const uint8_t bin = scene.bins().bins[row * scene.features().size() + splits[i].feature];
        return bin == feature.value_bins ? splits[i].missing_left : bin <= splits[i].bin;
      });
      const double gl = real(left.g), hl = real(left.h);
      const double gr = real(all.g - left.g), hr = real(all.h - left.h);
      if (hl < 1 || hr < 1) continue;
      const double g = real(all.g), h = real(all.h);
      const double gain = 0.5 * (gl * gl / (hl + 1) + gr * gr / (hr + 1) - g * g / (h + 1)) - 0.1;
      if (gain > best) best = gain, first = i;
    }
    EXPECT_EQ(r.best[v].candidate, first);
    EXPECT_DOUBLE_EQ(r.best[v].score, best);
  }
}

TEST(Search, nodes_without_an_eligible_candidate_have_none) {
  const SearchResults r = run_search(*cpu(1), SearchScene({0, 500, 1}));
  EXPECT_EQ(r.best[0].candidate, kNoCandidate);
  EXPECT_NE(r.best[1].candidate, kNoCandidate);
  EXPECT_EQ(r.best[2].candidate, kNoCandidate);
}

TEST(ForkGuard, a_child_of_the_process_that_started_cuda_is_refused) {
  ForkGuard guard, untouched;
  guard.enter();
  guard.enter();
  const pid_t child = fork();
  if (child == 0) {
    untouched.enter();  // started in the child itself
    try {
      guard.enter();
    } catch (const KernelError&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Search, every_worker_may_use_a_device_of_its_own) {
  EXPECT_EQ(cuda_devices() > 0, cuda_missing().empty());
  EXPECT_THROW(cuda_backend(cuda_devices()), KernelError);
  EXPECT_THROW(cuda_backend(-1), KernelError);
}

}  // namespace
}  // namespace maskbench::kernels
