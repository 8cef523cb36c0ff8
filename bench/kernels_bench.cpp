#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "bench/kernels_shape.hpp"
#include "kernels/cpu/cpu_ops.hpp"
#include "tests/kernels/statistics.hpp"

// Every benchmark verifies the result of what it times before it times it.
namespace maskbench::kernels {
namespace {

constexpr size_t kNormals = 1 << 14;  // in L1 and L2, as in use

// All modes against the scalar loops on a small shape of the same l and W.
bool verified(CpuOperations& backend, size_t l, int columns) {
  Shape small(1500, l < 64 ? l : 64, columns);
  Shape same(1500, l < 64 ? l : 64, columns);
  const auto reference = cpu_operations(1, Simd::kScalar);
  reference->bind(same.bins());
  backend.bind(small.bins());
  std::vector<std::byte> scratch(1 << 20);
  const size_t count = same.candidates();
  reference->fused(same.batch(0, count), same.draw, same.exact(), same.weights(0, count),
                   same.sums());
  backend.fused(small.batch(0, count), small.draw, small.exact(), small.weights(0, count),
                small.sums());
  const bool fused = small.sum_g() == same.sum_g();
  BlockBuffers buffers;
  materialise(backend, small, buffers, scratch, {}, kAll);
  return fused && small.sum_g() == same.sum_g();
}

PhiloxKey key_of(PhiloxKey) {
  return {1, 2};
}

const AesKey* key_of(const AesKey*) {
  static const uint8_t bytes[AesKey::kBytes] = {1, 2};
  static const AesKey key(bytes);
  return &key;
}

// Key: the generator's, Philox or AES.
template <class Key>
void normals(benchmark::State& state) {
  if (std::is_pointer_v<Key> && !aes_missing().empty())
    return state.SkipWithError(aes_missing().c_str());
  std::vector<int32_t> out(kNormals);
  std::vector<int32_t> expected(kNormals);
  StreamIdOf<Key> id{key_of(Key{}), 3, 4, 5, 6};
  simd_ops().normals(id, Stream::kRow, 4096, kNormals, out.data());
  scalar_ops().normals(id, Stream::kRow, 4096, kNormals, expected.data());
  if (out != expected) return state.SkipWithError("vectorised normals differ from scalar ones");
  for (auto _ : state) {
    ++id.candidate;
    simd_ops().normals(id, Stream::kRow, 4096, kNormals, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kNormals));
  state.SetLabel(simd_ops().name);
}
BENCHMARK(normals<PhiloxKey>)->Name("normals");
BENCHMARK(normals<const AesKey*>)->Name("normals_aes");

// One block at a time, as the draws of rows and nodes ask for them.
template <class Key>
void blocks(benchmark::State& state) {
  if (std::is_pointer_v<Key> && !aes_missing().empty())
    return state.SkipWithError(aes_missing().c_str());
  const Key key = key_of(Key{});
  PhiloxBlock counter;
  for (auto _ : state) {
    ++counter.x[0];
    benchmark::DoNotOptimize(random_block(counter, key));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(blocks<PhiloxKey>)->Name("blocks");
BENCHMARK(blocks<const AesKey*>)->Name("blocks_aes");

void normals_scalar(benchmark::State& state) {
  std::vector<int32_t> out(kNormals);
  const StreamId id{{1, 2}, 3, 4, 5, 6};
  for (auto _ : state) scalar_ops().normals(id, Stream::kRow, 4096, kNormals, out.data());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kNormals));
}
BENCHMARK(normals_scalar);

// 10^9 draws: the time is that of drawing and counting; a fault in the distribution is an error.
void distribution(benchmark::State& state) {
  std::vector<int32_t> out(1 << 20);
  for (auto _ : state) {
    NormalSample sample;
    for (uint32_t i = 0; sample.total() < 1e9; ++i) {
      const StreamId id{{21, 22}, 0, 0, i, 0};
      simd_ops().normals(id, Stream::kRow, NormalSample::kSteps, out.size(), out.data());
      sample.add(out);
    }
    for (const std::string& wrong : judge(sample)) state.SkipWithError(wrong.c_str());
    state.counters["kolmogorov"] = sample.kolmogorov();
    state.counters["anderson_darling"] = sample.anderson_darling();
    state.counters["beyond_5.5_sigma"] = sample.beyond(5.5);
  }
}
BENCHMARK(distribution)->Iterations(1)->Unit(benchmark::kSecond);

// What memory gives: one read and one write stream.
void bandwidth(benchmark::State& state) {
  std::vector<char> from(size_t{1} << 28, 1);
  std::vector<char> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
  }
  state.SetBytesProcessed(state.iterations() * 2 * static_cast<int64_t>(from.size()));
}
BENCHMARK(bandwidth)->Unit(benchmark::kMillisecond);

struct Setup {
  explicit Setup(const benchmark::State& state)
      : backend(cpu_operations(static_cast<int>(state.range(3)))),
        columns(static_cast<int>(state.range(2))),
        ok(verified(*backend, static_cast<size_t>(state.range(1)), columns)),
        shape(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)), columns),
        scratch(backend->scratch_bytes(shape.level())),
        limits{.at_least = static_cast<size_t>(state.range(3))} {
    backend->bind(shape.bins());
  }

  // bytes: what the mode must move for each cell.
  void report(benchmark::State& state, double bytes) const {
    const auto cells = static_cast<double>(shape.cells());
    const auto iterations = static_cast<double>(state.iterations());
    state.SetItemsProcessed(static_cast<int64_t>(iterations * cells));
    state.SetBytesProcessed(static_cast<int64_t>(iterations * cells * bytes));
  }

  std::unique_ptr<CpuOperations> backend;
  int columns;
  bool ok;
  Shape shape;
  std::vector<std::byte> scratch;
  BlockLimits limits;
};

constexpr const char* kWrong = "sums differ from the scalar loops";

// The same number of normals as fused draws (n_A a column), or materialised (n), and nothing else.
template <bool kEveryRow>
void normals_alone(benchmark::State& state) {
  Setup s(state);
  if (!s.ok) return state.SkipWithError(kWrong);
  const size_t count = s.shape.candidates();
  const auto rows = static_cast<size_t>(state.range(0));
  const std::span<const uint32_t> active = s.shape.exact().active;
  std::vector<int32_t> out(kNormals);
  for (auto _ : state) {
    for (uint32_t i = 0; i < count * static_cast<size_t>(s.columns); ++i) {
      size_t left = kEveryRow ? rows : active[i / static_cast<size_t>(s.columns)];
      for (uint32_t part = 0; left > 0; ++part) {
        const size_t now = std::min(left, kNormals);
        const StreamId id{{1, 2}, part, 0, i, 0};
        simd_ops().normals(id, Stream::kRow, 4096, now & ~size_t{127}, out.data());
        left -= now;
      }
    }
    benchmark::DoNotOptimize(out.data());
  }
  s.report(state, 0);
}

// Key: the generator's of the noise.
template <class Key>
void set_generator(Shape& shape) {
  if (!std::is_pointer_v<Key>) return;
  static const uint8_t bytes[AesKey::kBytes] = {1, 2};
  shape.draw.key = RandomKey(std::make_shared<const AesKey>(bytes));
}

template <class Key>
void fused(benchmark::State& state) {
  if (std::is_pointer_v<Key> && !aes_missing().empty())
    return state.SkipWithError(aes_missing().c_str());
  Setup s(state);
  set_generator<Key>(s.shape);
  if (!s.ok) return state.SkipWithError(kWrong);
  const size_t count = s.shape.candidates();
  for (auto _ : state) {
    s.backend->fused(s.shape.batch(0, count), s.shape.draw, s.shape.exact(),
                     s.shape.weights(0, count), s.shape.sums());
  }
  s.report(state, 0);  // numbers are made and added, none is moved
}

template <unsigned kPhases, class Key = PhiloxKey>
void materialised(benchmark::State& state) {
  if (std::is_pointer_v<Key> && !aes_missing().empty())
    return state.SkipWithError(aes_missing().c_str());
  Setup s(state);
  set_generator<Key>(s.shape);
  if (!s.ok) return state.SkipWithError(kWrong);
  BlockBuffers buffers;
  materialise(*s.backend, s.shape, buffers, s.scratch, s.limits, kPhases);  // touch the pages
  for (auto _ : state) {
    materialise(*s.backend, s.shape, buffers, s.scratch, s.limits, kPhases);
  }
  const double b = 4.0 * s.columns;
  double bytes = 0;
  if (kPhases & kNoise) bytes += 1 + b;
  if (kPhases & kMask) bytes += b + 8 + 8;
  if (kPhases & kAggregate) bytes += 8;
  s.report(state, bytes);
}

void collapsed(benchmark::State& state) {
  Setup s(state);
  if (!s.ok) return state.SkipWithError(kWrong);
  const size_t count = s.shape.candidates();
  for (auto _ : state) {
    s.backend->collapsed(s.shape.batch(0, count), s.shape.draw, s.shape.exact(),
                         s.shape.weights(0, count), s.shape.sums());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(count));
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"n", "l", "W", "threads"})
      ->ArgsProduct({{10'000, 100'000, 1'000'000, 10'000'000}, {32, 448}, {1, 3}, {1, 2}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

BENCHMARK(normals_alone<false>)->Apply(shapes);
BENCHMARK(normals_alone<true>)->Apply(shapes);
BENCHMARK(fused<PhiloxKey>)->Name("fused")->Apply(shapes);
BENCHMARK(fused<const AesKey*>)->Name("fused_aes")->Apply(shapes);
BENCHMARK(materialised<kNoise>)->Apply(shapes);
BENCHMARK(materialised<kNoise, const AesKey*>)->Name("materialised<kNoise>_aes")->Apply(shapes);
BENCHMARK(materialised<kMask>)->Apply(shapes);
BENCHMARK(materialised<kAggregate>)->Apply(shapes);
BENCHMARK(materialised<kAll>)->Apply(shapes);
BENCHMARK(materialised<kAll, const AesKey*>)->Name("materialised<kAll>_aes")->Apply(shapes);
BENCHMARK(collapsed)->Apply(shapes);

}  // namespace
}  // namespace maskbench::kernels
