#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace maskbench {

// The connection ended or was cut; the text says what is known.
struct StreamEnded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A connection to the other party: bytes in order, both ways. One thread may read while another
// writes; cancel may come from any.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Blocks until the bytes are on their way. `owner` keeps them alive as long as they are needed.
  virtual void write(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) = 0;
  // Fills all of `bytes`. Throws StreamEnded if the connection ends before.
  virtual void read(std::span<std::byte> bytes) = 0;
  // No more will be written.
  virtual void finish_writing() = 0;
  // Ends whatever another thread is waiting for here.
  virtual void cancel() = 0;
};

}  // namespace maskbench
