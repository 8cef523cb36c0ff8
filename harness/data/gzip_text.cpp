#include "harness/data/gzip_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "harness/base/error.hpp"

namespace maskbench {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;
constexpr unsigned char kMagic[] = {0x1f, 0x8b};
constexpr int kGzipOnly = 16 + 15;  // of inflateInit2: the header of gzip, the largest window

int opened(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    throw Error(fmt::format("{}: {}; check the path and its rights", path, std::strerror(errno)));
  return fd;
}

}  // namespace

GzipText::GzipText(const std::string& path)
    : path_(path), file_(path, opened(path)), buffer_(kBuffer, '\0') {
  if (!fill()) return;
  is_gzip_ =
      stream_.avail_in >= sizeof kMagic && std::memcmp(stream_.next_in, kMagic, sizeof kMagic) == 0;
  in_member_ = is_gzip_;
  if (is_gzip_ && inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipText::~GzipText() {
  if (is_gzip_) inflateEnd(&stream_);
}

bool GzipText::fill() {
  ssize_t got = 0;
  do {
    got = ::read(file_.fd(), buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_to("read", path_, errno);
  stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
  stream_.avail_in = static_cast<uInt>(got);
  return got > 0;
}

bool GzipText::next_member() {
  while (stream_.avail_in > 0 || fill()) {
    if (*stream_.next_in == kMagic[0]) {
      inflateReset(&stream_);
      return in_member_ = true;
    }
    if (*stream_.next_in != 0)
      throw Error(
          fmt::format("{}: what follows the gzip stream is none; fetch the file again", path_));
    ++stream_.next_in;
    --stream_.avail_in;
  }
  return false;
}

size_t GzipText::inflate_some(char* to, size_t most) {
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(std::min(most, kBuffer));
  const uInt room = stream_.avail_out;
  const int code = inflate(&stream_, Z_NO_FLUSH);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code == Z_STREAM_END) in_member_ = false;
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
    throw Error(fmt::format("{}: the gzip stream is corrupt ({}); fetch the file again", path_,
                            stream_.msg != nullptr ? stream_.msg : "not gzip"));
  return room - stream_.avail_out;
}

size_t GzipText::copy_some(char* to, size_t most) {
  const size_t count = std::min<size_t>(most, stream_.avail_in);
  std::memcpy(to, stream_.next_in, count);
  stream_.next_in += count;
  stream_.avail_in -= static_cast<uInt>(count);
  return count;
}

size_t GzipText::read(char* to, size_t most) {
  size_t done = 0;
  while (done < most) {
    if (is_gzip_ && !in_member_ && !next_member()) break;
    const bool has_input = stream_.avail_in > 0 || fill();
    if (!has_input && !is_gzip_) break;
    const size_t got =
        is_gzip_ ? inflate_some(to + done, most - done) : copy_some(to + done, most - done);
    if (!has_input && got == 0 && in_member_)
      throw Error(fmt::format("{}: the gzip stream ends too early; fetch the file again", path_));
    done += got;
  }
  return done;
}

}  // namespace maskbench
