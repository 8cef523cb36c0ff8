#include "tests/kernels/conformance.hpp"

#include "kernels/cpu/cpu_ops.hpp"
#include "tests/kernels/cuda_on_host/shim.hpp"

namespace maskbench::kernels {
namespace {

std::vector<Contestant> contestants() {
  return {{"cpu_simd", [] { return cpu(1); }},
          {"cpu_simd_3_threads", [] { return cpu(3); }},
          {"cpu_scalar_2_threads", [] { return cpu(2, Simd::kScalar); }},
          {"cuda_on_host", [] { return run_warps_backward(false), shim_backend(); }},
          {"cuda_on_host_backward", [] { return run_warps_backward(true), shim_backend(); }},
          {"cuda_device", [] { return cuda_backend(); }, [] { return cuda_missing(); }}};
}

class Conformance : public testing::TestWithParam<Contestant> {};

TEST_P(Conformance, every_integer_equals_the_scalar_loops) {
  if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
  const auto backend = GetParam().make();
  const auto reference = cpu(1, Simd::kScalar);
  for (const Scene& scene : conformance_scenes()) {
    const Results ours = run_all(*backend, scene);
    const Results theirs = run_all(*reference, scene);
    EXPECT_EQ(ours.b, theirs.b);
    EXPECT_EQ(ours.narrow_g, theirs.narrow_g);
    EXPECT_EQ(ours.narrow_h, theirs.narrow_h);
    EXPECT_EQ(ours.masked_g, theirs.masked_g);
    EXPECT_EQ(ours.masked_h, theirs.masked_h);
    EXPECT_EQ(ours.sum_g, theirs.sum_g);
    EXPECT_EQ(ours.sum_h, theirs.sum_h);
    EXPECT_EQ(ours.fused_g, theirs.fused_g);
    EXPECT_EQ(ours.fused_h, theirs.fused_h);
    EXPECT_EQ(ours.collapsed_g, theirs.collapsed_g);
    EXPECT_EQ(ours.collapsed_h, theirs.collapsed_h);
    EXPECT_EQ(ours.best, theirs.best);
    EXPECT_EQ(ours.collapsed_best, theirs.collapsed_best);
  }
}

TEST_P(Conformance, histograms_scores_and_choices_equal_the_scalar_loops) {
  if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
  const auto backend = GetParam().make();
  const auto reference = cpu(1, Simd::kScalar);
  for (const SearchScene& scene : search_scenes()) {
    const SearchResults ours = run_search(*backend, scene);
    const SearchResults theirs = run_search(*reference, scene);
    EXPECT_EQ(ours.histograms, theirs.histograms);
    EXPECT_EQ(ours.best, theirs.best);
    EXPECT_EQ(ours.undone, theirs.undone);
    EXPECT_EQ(ours.uneven, theirs.uneven);
    EXPECT_EQ(ours.counts, theirs.counts);
    EXPECT_EQ(ours.grown, theirs.grown);
    EXPECT_EQ(ours.grown_best, theirs.grown_best);
    EXPECT_EQ(ours.hurried, theirs.hurried);
  }
}

TEST_P(Conformance, materialised_and_fused_sums_agree_bit_for_bit) {
  if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
  const auto backend = GetParam().make();
  for (const Scene& scene : conformance_scenes()) {
    const Results r = run_all(*backend, scene);
    EXPECT_EQ(r.sum_g, r.fused_g);
    EXPECT_EQ(r.sum_h, r.fused_h);
    EXPECT_EQ(r.narrow_sum_g, r.fused_g);
    EXPECT_EQ(r.narrow_sum_h, r.fused_h);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(contestants()),
                         [](const auto& param) { return param.param.name; });

TEST(DeviceMemory, too_little_is_an_error) {
  const Scene scene({1500}, 2, noise_scale(9000, 4500));
  size_t refusals = 0;
  const auto tiny = limited_shim_backend(20'000, &refusals);
  try {
    run_all(*tiny, scene);
    FAIL() << "20 kB were enough";
  } catch (const KernelError& error) {
    EXPECT_NE(std::string(error.what()).find("memory is full"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("backend: cpu"), std::string::npos) << error.what();
  }
  EXPECT_EQ(refusals, 1u);
}

TEST(DeviceMemory, more_tiles_than_32_bits_can_number_are_refused) {
  EXPECT_NO_THROW(check_tiles_of_shim(size_t{1} << 31));
  EXPECT_THROW(check_tiles_of_shim((size_t{1} << 31) + 1), KernelError);
}

TEST(Partition, simd_and_scalar_loops_agree_and_keep_the_order) {
  for (size_t n : {0, 1, 7, 8, 63, 64, 65, 200, 4096, 5001}) {
    std::vector<uint32_t> rows(n);
    std::vector<uint64_t> bits((n + 63) / 64);
    size_t lefts = 0;
    for (uint32_t j = 0; j < n; ++j) {
      rows[j] = 3 * j + 1;
      const bool is_left = (j * 2654435761u >> 13 & 7) < 3;
      bits[j / 64] |= uint64_t{is_left} << (j % 64);
      lefts += is_left;
    }
    const auto parted = [&](const CpuOps& ops) {
      std::vector<uint32_t> out(n + 1, 77);  // the element past the end must stay
      ops.partition(rows.data(), bits.data(), n, out.data(), out.data() + lefts);
      return out;
    };
    const std::vector<uint32_t> out = parted(simd_ops());
    EXPECT_EQ(out, parted(scalar_ops())) << n;
    EXPECT_EQ(out.back(), 77u);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(lefts)));
  }
}

}  // namespace
}  // namespace maskbench::kernels
