#include "harness/exchange/packing.hpp"

#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <random>

#include "harness/exchange/frame.hpp"
#include "harness/exchange/link.hpp"
#include "harness/exchange/stream_link.hpp"
#include "tests/support/socket_stream.hpp"

namespace maskbench {
namespace {

constexpr size_t kLimit = 1 << 20;

// A whole frame of packed integers.
template <class T>
std::vector<std::byte> packed_frame(const std::vector<T>& values) {
  constexpr size_t at = kFrameHeaderBytes / sizeof(int64_t);
  std::vector<int64_t> words;
  const size_t size = pack(std::span<const T>(values), words, at);
  FrameHeader header{static_cast<uint8_t>(Kind::masked),   kElementOf<T>, {3, 2}, 0,
                     static_cast<uint32_t>(values.size()), true};
  const HeaderBytes head = encode_header(header);
  std::ranges::copy(head, std::as_writable_bytes(std::span(words)).begin());
  const auto all = std::as_bytes(std::span(words)).first(kFrameHeaderBytes + size);
  return {all.begin(), all.end()};
}

template <class T>
void expect_same(const std::vector<T>& values) {
  BufferPool pool;
  std::vector<std::byte> bytes = packed_frame(values);
  bytes.resize(bytes.size() + 5);  // of the next frame
  const ParsedFrame got = parse_frame(bytes, kLimit, pool);
  EXPECT_EQ(got.used, bytes.size() - 5);
  const auto* back = dynamic_cast<HostValues<T>*>(got.payload.get());
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->values, values);
}

// Integers of at most so many bits, sign included, the two outermost ones among them.
template <class T>
std::vector<T> integers(size_t count, int bits, std::mt19937_64& random) {
  std::vector<T> out(count);
  const int shift = 64 - bits;
  if (bits == 0) return out;
  for (T& value : out) value = static_cast<T>(static_cast<int64_t>(random()) >> shift);
  out[7] = static_cast<T>(std::numeric_limits<int64_t>::min() >> shift);
  out[count - 3] = static_cast<T>(std::numeric_limits<int64_t>::max() >> shift);
  return out;
}

template <class T>
void expect_same_at_every_width() {
  std::mt19937_64 random(5);
  for (int bits = 0; bits <= static_cast<int>(8 * sizeof(T)); ++bits) {
    SCOPED_TRACE(bits);
    for (size_t count : {kPackBlock, 3 * kPackBlock + 1, 9 * kPackBlock + 511})
      expect_same(integers<T>(count, bits, random));
  }
}

TEST(Packing, gives_back_every_integer_of_every_width) {
  expect_same_at_every_width<int32_t>();
  expect_same_at_every_width<int64_t>();
}

TEST(Packing, takes_no_more_bits_than_the_widest_of_a_block) {
  std::mt19937_64 random(6);
  const size_t blocks = 16, count = blocks * kPackBlock;
  EXPECT_EQ(packed_frame(integers<int32_t>(count, 17, random)).size(),
            kFrameHeaderBytes + blocks + count * 17 / 8);
  EXPECT_EQ(packed_frame(std::vector<int64_t>(count)).size(), kFrameHeaderBytes + blocks);
}

TEST(Packing, a_frame_that_ends_too_early_is_refused_wherever_it_ends) {
  std::mt19937_64 random(7);
  const std::vector<std::byte> bytes =
      packed_frame(integers<int32_t>(2 * kPackBlock + 9, 5, random));
  BufferPool pool;
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(parse_frame(std::span(bytes).first(size), kLimit, pool), FrameError) << size;
  EXPECT_NO_THROW(parse_frame(bytes, kLimit, pool));
}

TEST(Packing, what_cannot_be_packed_so_is_refused) {
  std::mt19937_64 random(8);
  std::vector<std::byte> bytes = packed_frame(integers<int32_t>(kPackBlock, 20, random));
  BufferPool pool;
  bytes[kFrameHeaderBytes] = std::byte{33};  // bits, of 32
  EXPECT_THROW(parse_frame(bytes, kLimit, pool), FrameError);
  FrameHeader few{static_cast<uint8_t>(Kind::masked), Element::i32, {}, 0, kPackBlock - 1, true};
  EXPECT_THROW(decode_header(encode_header(few), kLimit), FrameError);
  FrameHeader unsigned_ones{
      static_cast<uint8_t>(Kind::masked), Element::u32, {}, 0, kPackBlock, true};
  EXPECT_THROW(decode_header(encode_header(unsigned_ones), kLimit), FrameError);
}

// Counts what a link writes.
class Counted final : public ByteStream {
 public:
  Counted(std::unique_ptr<ByteStream> stream, size_t& bytes)
      : stream_(std::move(stream)), bytes_(bytes) {}
  void write(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) override {
    bytes_ += bytes.size();
    stream_->write(bytes, std::move(owner));
  }
  void read(std::span<std::byte> bytes) override { stream_->read(bytes); }
  void finish_writing() override { stream_->finish_writing(); }
  void cancel() override { stream_->cancel(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  size_t& bytes_;
};

TEST(Packing, a_link_sends_integers_packed_and_the_peer_takes_them_as_they_were) {
  std::mt19937_64 random(9);
  const auto narrow = integers<int32_t>(100'000, 16, random);
  const auto wide = integers<int64_t>(50'000, 21, random);
  size_t sent = 0;
  auto ends = SocketStream::pair();
  const LinkLimits limits{1 << 22, 1 << 20, std::chrono::seconds(60)};
  StreamLink ap(Party::ap, std::make_unique<Counted>(std::move(ends[0]), sent), limits);
  StreamLink pp(Party::pp, std::move(ends[1]), limits);
  const auto taken = std::async(std::launch::async, [&] {
    EXPECT_EQ(pp.take().as<int32_t>(), narrow);
    EXPECT_EQ(pp.take().as<int64_t>(), wide);
    pp.leave();
  });
  ap.post({Party::ap, Kind::noise, {}, std::make_unique<HostValues<int32_t>>(narrow)});
  ap.post({Party::ap, Kind::noise, {}, std::make_unique<HostValues<int64_t>>(wide)});
  ap.leave();
  taken.wait();
  const size_t bits = 16 * narrow.size() + 21 * wide.size();
  EXPECT_GT(sent, bits / 8);
  EXPECT_LT(sent, bits / 8 + 8000);  // widths, headers, less than a block of each as it was
}

}  // namespace
}  // namespace maskbench
