#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/exchange/element.hpp"
#include "kernels/cell_store.hpp"

namespace maskbench {

// What a message is about. Every value that crosses between the parties has one of these kinds.
enum class Kind : uint8_t {
  gradients,    // g, h of the rows, in clear or noised
  labels,       // released labels
  buckets,      // PP's bins, in clear or by randomised response
  noise,        // PP's noise vectors B_i
  masked,       // AP's <g>_i, <h>_i
  totals,       // G, H of the nodes; the shape of what follows
  ciphertexts,  // encrypted gradients or sums
  matrices,     // SMM's bases and masked splitting vectors
  proposals,    // PP's best split of each node: score and opaque id
  decisions,    // AP's choice for each node
  row_sets,     // which rows go left
  setup,        // what the parties tell each other to get in step: sizes, the end
};
template <>
inline constexpr auto kNames<Kind> = names("gradients", "labels", "buckets", "noise", "masked",
                                           "totals", "ciphertexts", "matrices", "proposals",
                                           "decisions", "row_sets", "setup");
inline constexpr size_t kKinds = kNames<Kind>.size();

struct Tag {
  int tree = -1;
  int depth = -1;
  int node = -1;       // first node the message speaks of; -1: the whole level or tree
  int candidate = -1;  // first candidate
};

// The content of a message. It has a size, and becomes bytes only where somebody needs them: a tape
// that keeps it, a channel that leaves the process.
class Payload {
 public:
  virtual ~Payload() = default;
  virtual size_t size() const = 0;  // in bytes
  virtual bool has_bytes() const { return true; }
  virtual bool is_on_host() const { return true; }
  virtual Element element() const { return Element::none; }  // of which it is a list
  virtual std::span<const std::byte> bytes() const = 0;
  virtual std::unique_ptr<Payload> copy() const = 0;
};

template <class T>
class HostValues final : public Payload {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  explicit HostValues(std::vector<T> v) : values(std::move(v)) {}
  size_t size() const override { return values.size() * sizeof(T); }
  Element element() const override { return kElementOf<T>; }
  std::span<const std::byte> bytes() const override { return std::as_bytes(std::span(values)); }
  std::unique_ptr<Payload> copy() const override { return std::make_unique<HostValues>(values); }
  std::vector<T> values;
};

// Values where the backend that made them keeps them. A party on the same device reads them there;
// they become bytes on the host only for whoever asks for bytes.
template <class T>
class StoredValues final : public Payload {
 public:
  StoredValues(std::unique_ptr<kernels::CellStore> cells, size_t count)
      : store(std::move(cells)), count_(count) {}
  size_t size() const override { return count_ * sizeof(T); }
  bool is_on_host() const override { return false; }
  Element element() const override { return kElementOf<T>; }
  std::span<const std::byte> bytes() const override {
    if (host_.empty()) host_ = values();
    return std::as_bytes(std::span(host_));
  }
  std::unique_ptr<Payload> copy() const override {
    return std::make_unique<HostValues<T>>(values());
  }
  std::unique_ptr<kernels::CellStore> store;

 private:
  std::vector<T> values() const {
    std::vector<T> out(count_);
    store->read(std::as_writable_bytes(std::span(out)));
    return out;
  }
  size_t count_;
  mutable std::vector<T> host_;  // once asked for
};

// A message that a simulation leaves out: it has the size that it would have, and no bytes.
class SimulatedPayload : public Payload {
 public:
  explicit SimulatedPayload(size_t size) : size_(size) {}
  size_t size() const override { return size_; }
  bool has_bytes() const override { return false; }
  std::span<const std::byte> bytes() const override { refuse(); }
  std::unique_ptr<Payload> copy() const override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("a simulated message has no bytes; set mode: materialised");
  }
  size_t size_;
};

struct Message {
  Party from = Party::ap;
  Kind kind = Kind::gradients;
  Tag tag;
  std::unique_ptr<Payload> payload;

  template <class T>
  const std::vector<T>& as() const {
    return dynamic_cast<const HostValues<T>&>(*payload).values;
  }
};

// A number for each party and kind of message.
using ByKind = std::array<std::array<uint64_t, kKinds>, 2>;

}  // namespace maskbench
