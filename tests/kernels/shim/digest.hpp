#pragma once

// What a backend computes in all scenes, as numbers that can be compared between a kernel and its
// mutant, whose types have other names.
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/backend.hpp"
#include "tests/kernels/conformance_scenes.hpp"

namespace maskbench::kernels {

class Digest {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    uint64_t hash = 14695981039346656037u;
    for (const T& value : values) mix(hash, value);
    hashes_.push_back(hash);
  }
  std::vector<uint64_t> take() { return std::move(hashes_); }

 private:
  template <class T>
  static void mix(uint64_t& hash, T value) {
    uint64_t bits = 0;
    static_assert(sizeof value <= 8);
    std::memcpy(&bits, &value, sizeof value);
    hash = (hash ^ bits) * 1099511628211u;
    hash ^= hash >> 29;
  }
  static void mix(uint64_t& hash, const GradientSum& sum) { mix(hash, sum.g), mix(hash, sum.h); }
  static void mix(uint64_t& hash, const BestCandidate& best) {
    mix(hash, best.score), mix(hash, best.candidate);
  }

  std::vector<uint64_t> hashes_;
};

inline std::vector<uint64_t> digest(Backend& backend) {
  Digest digest;
  for (const Scene& scene : conformance_scenes()) {
    const Results r = run_all(backend, scene);
    digest.add(r.b);
    digest.add(r.narrow_g), digest.add(r.narrow_h);
    digest.add(r.masked_g), digest.add(r.masked_h);
    digest.add(r.sum_g), digest.add(r.sum_h);
    digest.add(r.narrow_sum_g), digest.add(r.narrow_sum_h);
    digest.add(r.fused_g), digest.add(r.fused_h);
    digest.add(r.collapsed_g), digest.add(r.collapsed_h);
    digest.add(r.best), digest.add(r.collapsed_best);
  }
  for (const SearchScene& scene : search_scenes()) {
    const SearchResults r = run_search(backend, scene);
    digest.add(r.histograms);
    digest.add(r.best);
    digest.add(r.undone);
    digest.add(r.uneven);
    digest.add(r.counts);
    digest.add(r.grown);
    digest.add(r.grown_best);
    digest.add(r.hurried);
  }
  return digest.take();
}

}  // namespace maskbench::kernels
