#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "harness/exchange/grpc/tls.hpp"

namespace maskbench {

// A gRPC message that refers to the bytes instead of copying them.
inline grpc::ByteBuffer borrowed_buffer(std::span<const std::byte> bytes,
                                        const std::shared_ptr<const void>& owner) {
  using Owner = std::shared_ptr<const void>;
  // gRPC takes void*, and only reads.
  void* start = const_cast<std::byte*>(bytes.data());
  const grpc::Slice slice(
      start, bytes.size(), [](void* kept) { delete static_cast<Owner*>(kept); }, new Owner(owner));
  return grpc::ByteBuffer(&slice, 1);
}

// Calls `send` with gRPC messages that together hold the bytes, until it says no.
template <class Send>
bool send_in_chunks(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                    Send send) {
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), kChunkBytes);
    if (!send(borrowed_buffer(bytes.first(size), owner))) return false;
    bytes = bytes.subspan(size);
  }
  return true;
}

// The bytes of the gRPC messages that came, in order.
class SliceReader {
 public:
  // Fills `bytes`; `more` fetches another message, or says that there is none.
  template <class More>
  bool read(std::span<std::byte> bytes, More more) {
    while (!bytes.empty()) {
      if (next_ == slices_.size()) {
        grpc::ByteBuffer buffer;
        if (!more(buffer)) return false;
        slices_.clear();
        if (!buffer.Dump(&slices_).ok()) return false;
        next_ = used_ = 0;
        continue;
      }
      const grpc::Slice& slice = slices_[next_];
      const size_t size = std::min(bytes.size(), slice.size() - used_);
      std::memcpy(bytes.data(), slice.begin() + used_, size);
      bytes = bytes.subspan(size);
      used_ += size;
      if (used_ == slice.size()) ++next_, used_ = 0;
    }
    return true;
  }

 private:
  std::vector<grpc::Slice> slices_;
  size_t next_ = 0, used_ = 0;
};

}  // namespace maskbench
