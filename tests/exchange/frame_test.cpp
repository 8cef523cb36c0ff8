#include "harness/exchange/frame.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "harness/exchange/link.hpp"

namespace maskbench {
namespace {

constexpr size_t kFrameLimit = 1 << 16;

std::vector<std::byte> frame_of(FrameHeader header, std::span<const std::byte> body) {
  const HeaderBytes head = encode_header(header);
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

FrameHeader some_header() {
  return {static_cast<uint8_t>(Kind::masked), Element::i32, {3, 2, 17, 5}, 9, 2};
}

std::string refusal(std::span<const std::byte> bytes) {
  BufferPool pool;
  try {
    parse_frame(bytes, kFrameLimit, pool);
  } catch (const FrameError& error) {
    return error.what();
  }
  return "";
}

TEST(Frame, has_the_bytes_that_the_protocol_says) {
  const HeaderBytes bytes = encode_header(some_header());
  const uint8_t wanted[] = {4, 6, 2, 0, 3, 0, 0, 0, 17, 0, 0, 0,
                            5, 0, 0, 0, 9, 0, 0, 0, 2,  0, 0, 0};
  ASSERT_EQ(sizeof wanted, bytes.size());
  EXPECT_EQ(std::memcmp(bytes.data(), wanted, sizeof wanted), 0);
}

TEST(Frame, comes_back_as_it_was_for_every_element_type) {
  BufferPool pool;
  for_each_element_type([&](auto value) {
    using T = decltype(value);
    HostValues<T> sent(std::vector<T>(3, value));
    FrameHeader header = some_header();
    header.element = sent.element();
    header.count = 3;
    auto bytes = frame_of(header, sent.bytes());
    bytes.resize(bytes.size() + 7);  // of the next frame
    const ParsedFrame got = parse_frame(bytes, kFrameLimit, pool);
    EXPECT_EQ(got.used, bytes.size() - 7);
    EXPECT_EQ(got.header.tag.node, 17);
    ASSERT_NE(dynamic_cast<HostValues<T>*>(got.payload.get()), nullptr);
    EXPECT_TRUE(std::ranges::equal(got.payload->bytes(), sent.bytes()));
  });
}

TEST(Frame, every_malformed_one_is_named) {
  const std::vector<std::byte> body(8);
  const auto with = [&](auto change) {
    FrameHeader header = some_header();
    change(header);
    return refusal(frame_of(header, body));
  };
  EXPECT_EQ(with([](auto&) {}), "");
  EXPECT_NE(with([](auto& h) { h.kind = kKinds; }).find("unknown kind"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.kind = 254; }).find("unknown kind"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.element = Element::none; }).find("element"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.element = Element{18}; }).find("element"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.tag.node = -2; }).find("tag"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.count = 3; }).find("ends after 8"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.count = kFrameLimit / 4 + 1; }).find("limit"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.count = UINT32_MAX; }).find("limit"), std::string::npos);
  EXPECT_NE(with([](auto& h) { h.kind = kFarewell; }).find("farewell"), std::string::npos);
  EXPECT_NE(refusal(std::span(body)).find("within its header"), std::string::npos);
}

// Any bytes give a frame that is encoded by these very bytes, or a FrameError.
TEST(Frame, a_million_garbage_frames_are_refused_or_what_they_say) {
  std::mt19937_64 random(7);
  std::vector<std::byte> bytes(kFrameHeaderBytes + 64);
  BufferPool pool;
  size_t parsed = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    for (size_t at = 0; at < bytes.size(); at += 8) {
      const uint64_t word = random();
      std::memcpy(bytes.data() + at, &word, 8);
    }
    if (k % 2 == 0) {  // nearly a frame: only some fields are garbage
      const HeaderBytes good = encode_header(some_header());
      std::memcpy(bytes.data(), good.data(), k % 3 == 0 ? 20 : 24);
      bytes[random() % 24] ^= std::byte{1};
    }
    try {
      const ParsedFrame frame = parse_frame(bytes, kFrameLimit, pool);
      ++parsed;
      ASSERT_LE(frame.used, bytes.size());
      ASSERT_TRUE(std::ranges::equal(encode_header(frame.header), std::span(bytes).first(24)));
    } catch (const FrameError&) {
    }
  }
  EXPECT_GT(parsed, 1000u);
}

}  // namespace
}  // namespace maskbench
