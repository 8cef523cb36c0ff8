#pragma once

#include <memory>

#include "kernels/backend.hpp"

namespace maskbench::kernels {

// What the histograms of one party share.
struct CpuParty {
  ThreadPool& pool;
  Features features = {};
  const Level* level = nullptr;
};

std::unique_ptr<Histograms> cpu_histograms(const CpuParty& party);

}  // namespace maskbench::kernels
