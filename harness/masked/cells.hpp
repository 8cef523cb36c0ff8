#pragma once

#include <memory>

#include "harness/exchange/channel.hpp"
#include "kernels/backend.hpp"

// A block's values as payloads: in buffers of the channel where a backend computes in host memory,
// else where the backend keeps them.
namespace maskbench {

template <class T>
std::unique_ptr<Payload> make_cells(kernels::Backend& backend, Channel& channel, size_t count) {
  if (auto store = backend.store(count * sizeof(T)))
    return std::make_unique<StoredValues<T>>(std::move(store), count);
  return std::make_unique<HostValues<T>>(channel.buffers().get<T>(count));
}

// Throws unless it holds so many values of this type.
template <class T>
kernels::Cells<T> cells_of(Payload& payload, Kind kind, size_t count) {
  expect_count(kind, payload.size() / sizeof(T), count);
  if (auto* stored = dynamic_cast<StoredValues<T>*>(&payload)) return {{}, stored->store.get()};
  return {dynamic_cast<HostValues<T>&>(payload).values, nullptr};
}

template <class T>
kernels::Cells<const T> as_read(const kernels::Cells<T>& cells) {
  return {cells.host, cells.store};
}

// Host memory goes back to the channel's buffers.
template <class T>
void give_back(Channel& channel, Payload& payload) {
  if (auto* host = dynamic_cast<HostValues<T>*>(&payload))
    channel.buffers().give_back(std::move(host->values));
}

}  // namespace maskbench
