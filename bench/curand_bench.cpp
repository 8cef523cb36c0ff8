#include <benchmark/benchmark.h>
#include <cuda_runtime.h>
#include <curand.h>

#include <cmath>
#include <string>
#include <vector>

// cuRAND's own Philox normals, a peer of `normals`: its host generator runs without a device, its
// device generator where there is one. Built where the CUDA toolkit is.
namespace maskbench {
namespace {

// Are mean and variance those of 2^14 or more standard normals? Six standard deviations.
bool is_normal(const std::vector<float>& x) {
  double sum = 0, squares = 0;
  for (const float v : x) {
    sum += v;
    squares += double{v} * v;
  }
  const auto n = static_cast<double>(x.size());
  return std::abs(sum / n) < 6 / std::sqrt(n) && std::abs(squares / n - 1) < 6 * std::sqrt(2 / n);
}

struct Generator {
  curandGenerator_t handle = nullptr;
  ~Generator() {
    if (handle != nullptr) curandDestroyGenerator(handle);
  }
};

void curand_host(benchmark::State& state) {
  std::vector<float> out(1 << 14);
  Generator generator;
  if (curandCreateGeneratorHost(&generator.handle, CURAND_RNG_PSEUDO_PHILOX4_32_10) !=
          CURAND_STATUS_SUCCESS ||
      curandSetPseudoRandomGeneratorSeed(generator.handle, 1) != CURAND_STATUS_SUCCESS) {
    return state.SkipWithError("cuRAND's host generator cannot be made");
  }
  const auto draw = [&] {
    return curandGenerateNormal(generator.handle, out.data(), out.size(), 0, 1) ==
           CURAND_STATUS_SUCCESS;
  };
  if (!draw() || !is_normal(out)) return state.SkipWithError("cuRAND gave no standard normals");
  for (auto _ : state) {
    draw();
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(curand_host);

struct DeviceFloats {
  float* data = nullptr;
  ~DeviceFloats() {
    if (data != nullptr) cudaFree(data);
  }
};

void curand_device(benchmark::State& state) {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices);
      status != cudaSuccess || devices == 0) {
    const std::string why = status == cudaSuccess ? "none found" : cudaGetErrorString(status);
    return state.SkipWithError(("no CUDA device: " + why).c_str());
  }
  std::vector<float> out(size_t{1} << 24);
  DeviceFloats on_device;
  Generator generator;
  if (cudaMalloc(reinterpret_cast<void**>(&on_device.data), out.size() * sizeof(float)) !=
          cudaSuccess ||
      curandCreateGenerator(&generator.handle, CURAND_RNG_PSEUDO_PHILOX4_32_10) !=
          CURAND_STATUS_SUCCESS ||
      curandSetPseudoRandomGeneratorSeed(generator.handle, 1) != CURAND_STATUS_SUCCESS) {
    return state.SkipWithError("cuRAND's device generator cannot be made");
  }
  const auto draw = [&] {
    return curandGenerateNormal(generator.handle, on_device.data, out.size(), 0, 1) ==
               CURAND_STATUS_SUCCESS &&
           cudaDeviceSynchronize() == cudaSuccess;
  };
  if (!draw() ||
      cudaMemcpy(out.data(), on_device.data, out.size() * sizeof(float), cudaMemcpyDeviceToHost) !=
          cudaSuccess ||
      !is_normal(out)) {
    return state.SkipWithError("cuRAND gave no standard normals");
  }
  for (auto _ : state) draw();
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(curand_device)->UseRealTime();

}  // namespace
}  // namespace maskbench
