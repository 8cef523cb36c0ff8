#include "kernels/cpu/cpu_ops.hpp"

// MulAdd is a true fma only from AVX2 on; older processors take the scalar loops.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#define HWY_WANT_AVX3_DL  // AVX-512 with AES on whole vectors
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cpu_simd.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/noise-inl.hpp"
#include "kernels/cpu/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace maskbench::kernels::HWY_NAMESPACE {

const CpuOps& best_ops() {
#if HWY_NATIVE_FMA
  static constexpr CpuOps ops{HWY_TARGET == HWY_AVX2 ? "avx2" : "avx512",
                              kNoiseOps<PhiloxKey>,
                              kNoiseOps<const AesKey*>,
                              active_bits,
                              mask32,
                              mask64,
                              sum32,
                              sum64,
                              partition};
  return ops;
#else
  return scalar_ops();
#endif
}

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace maskbench::kernels {

HWY_EXPORT(best_ops);

const CpuOps& simd_ops() {
  return HWY_DYNAMIC_DISPATCH(best_ops)();
}

}  // namespace maskbench::kernels
#endif
