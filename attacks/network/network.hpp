#pragma once

#include <cstddef>
#include <cstdint>

// A regression by a five-layer network, in a library of its own: libtorch takes half a second to
// load, so only a run of label-nn loads it. Plain C types: a libtorch of another C++ ABI serves.
extern "C" {

struct NetworkTask {
  size_t inputs;
  size_t train_rows;     // the last tenth of them is held out for early stopping
  const float* train_x;  // row after row
  const float* train_y;
  size_t apply_rows;
  const float* apply_x;
  float* estimate;  // of y, for apply_x
  uint64_t seed;
  bool decoupled;  // L2 0.01 as decoupled weight decay; else as a penalty in the loss
  void (*on_epoch)(void* context, int epoch, int most);
  void* context;
  int epochs;  // out: how many it took
  char error[256];
};

// Trains on train_x, train_y until the held-out loss has stopped falling, then fills `estimate`.
// The same numbers for the same task on the same machine. False: see `error`.
bool maskbench_fit_network(NetworkTask* task);
}
