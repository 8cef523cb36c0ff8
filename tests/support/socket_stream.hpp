#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "harness/exchange/stream.hpp"

namespace maskbench {

// A connection within one machine, without gRPC.
class SocketStream final : public ByteStream {
 public:
  explicit SocketStream(int fd) : fd_(fd) {}
  ~SocketStream() override { ::close(fd_); }

  void write(std::span<const std::byte> bytes, std::shared_ptr<const void>) override {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) throw StreamEnded("the connection is lost");
      bytes = bytes.subspan(static_cast<size_t>(n));
    }
  }
  void read(std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::recv(fd_, bytes.data(), bytes.size(), 0);
      if (n <= 0) throw StreamEnded("the connection is lost");
      bytes = bytes.subspan(static_cast<size_t>(n));
    }
  }
  void finish_writing() override { ::shutdown(fd_, SHUT_WR); }
  void cancel() override { ::shutdown(fd_, SHUT_RDWR); }

  static std::array<std::unique_ptr<ByteStream>, 2> pair() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) throw StreamEnded("no socketpair");
    return {std::make_unique<SocketStream>(fds[0]), std::make_unique<SocketStream>(fds[1])};
  }

 private:
  int fd_;
};

}  // namespace maskbench
