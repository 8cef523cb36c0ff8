#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "harness/exchange/stream.hpp"
#include "harness/exchange/stream_link.hpp"

namespace maskbench::fuzz {

// What a peer sent before it left, and nobody who listens.
class Recording final : public ByteStream {
 public:
  explicit Recording(std::string_view bytes) : rest_(std::as_bytes(std::span(bytes))) {}
  void write(std::span<const std::byte>, std::shared_ptr<const void>) override {}
  void read(std::span<std::byte> bytes) override {
    if (bytes.size() > rest_.size()) throw StreamEnded("the recording ends");
    std::ranges::copy(rest_.first(bytes.size()), bytes.begin());
    rest_ = rest_.subspan(bytes.size());
  }
  void finish_writing() override {}
  void cancel() override {}
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

// Small, so that small inputs reach them.
inline LinkLimits small_limits() {
  LinkLimits limits;
  limits.frame_bytes = 1 << 12;
  limits.queued_bytes = 64;
  limits.patience = std::chrono::seconds(60);  // longer than a fuzzer waits
  return limits;
}

// What came of the bytes, and why no more did.
struct Heard {
  size_t messages = 0;
  std::string end;
};
// Takes a message only when the next one needs its room. Checks what a link promises.
Heard hear(std::string_view bytes);

}  // namespace maskbench::fuzz
