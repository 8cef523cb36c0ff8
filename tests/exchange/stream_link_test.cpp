#include "harness/exchange/stream_link.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <random>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/exchange/channel.hpp"
#include "tests/support/socket_stream.hpp"

namespace maskbench {
namespace {

using std::chrono::milliseconds;

const Price kNoPrice = Price::not_personal("a test's");

LinkLimits limits(size_t queued = 1 << 20, milliseconds patience = milliseconds(60'000)) {
  return {1 << 22, queued, patience};
}

// AP's end is a link; the other end is what the test makes of it.
struct Half {
  std::unique_ptr<StreamLink> link;
  std::unique_ptr<ByteStream> peer;

  explicit Half(const LinkLimits& limits_of = limits()) {
    auto ends = SocketStream::pair();
    link = std::make_unique<StreamLink>(Party::ap, std::move(ends[0]), limits_of);
    peer = std::move(ends[1]);
  }
  void send(const FrameHeader& header, size_t body) {
    const HeaderBytes head = encode_header(header);
    std::vector<std::byte> bytes(head.begin(), head.end());
    bytes.resize(bytes.size() + body);
    peer->write(bytes, nullptr);  // at once: the link may be cut after the header
  }
  std::string what_it_says() {
    try {
      link->front();
    } catch (const PeerLeft& left) {
      return left.what();
    }
    return "";
  }
};

FrameHeader header(uint32_t sequence, uint32_t count = 2) {
  return {static_cast<uint8_t>(Kind::noise), Element::i32, {1, 0}, sequence, count};
}

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("PP: ")) << text;
  EXPECT_NE(text.find("last step"), std::string::npos) << text;
}

TEST(StreamLink, carries_what_a_channel_sends_in_both_directions) {
  auto ends = SocketStream::pair();
  StreamLink ap_link(Party::ap, std::move(ends[0]), limits(64));
  StreamLink pp_link(Party::pp, std::move(ends[1]), limits(64));
  Tape ap_tape, pp_tape;
  ap_link.listen(&ap_tape);
  pp_link.listen(&pp_tape);
  const auto passive = std::async(std::launch::async, [&] {
    Channel pp(Party::pp, pp_link, privacy::Unit::record);
    for (int k = 0; k < 100; ++k) {
      Tag tag;
      auto values = pp.receive<int32_t>(Kind::gradients, &tag);
      EXPECT_EQ(tag.tree, k);
      pp.send(Kind::proposals, tag, std::vector<Proposal>{{0.5, values.back()}}, kNoPrice);
    }
    pp_link.leave();
  });
  Channel ap(Party::ap, ap_link, privacy::Unit::record);
  for (int k = 0; k < 100; ++k) {
    ap.send(Kind::gradients, {k}, std::vector<int32_t>(static_cast<size_t>(k + 1), k), kNoPrice);
  }
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(ap.receive<Proposal>(Kind::proposals).front().id, k);
  }
  ap_link.leave();
  passive.wait();
  for (Party from : {Party::ap, Party::pp}) {
    for (Kind kind : {Kind::gradients, Kind::proposals})
      EXPECT_EQ(ap_tape.bytes(from, kind), pp_tape.bytes(from, kind));
  }
  EXPECT_EQ(ap_tape.bytes(Party::ap, Kind::gradients), 100 * Tape::kHeaderBytes + 4 * 5050);
}

TEST(StreamLink, a_simulated_message_is_refused) {
  Half half;
  EXPECT_THROW(half.link->post({Party::ap, Kind::noise, {}, std::make_unique<SimulatedPayload>(9)}),
               Error);
}

TEST(StreamLink, a_peer_that_is_gone_or_gives_up_is_named) {
  Half gone, gives_up;
  gone.peer.reset();
  expect_says(gone.what_it_says(), "lost");
  FrameHeader farewell{kFarewell, Element::u8, {}, 0, 3};
  gives_up.send(farewell, 0);
  gives_up.peer->write(std::as_bytes(std::span("no\n", 3)), nullptr);
  expect_says(gives_up.what_it_says(), "gave up: no?");
}

TEST(StreamLink, a_frame_that_must_not_come_ends_the_link) {
  Half too_long, truncated, out_of_order, twice, unknown;
  too_long.send(header(0, 1 << 21), 0);
  expect_says(too_long.what_it_says(), "over the limit");
  truncated.send(header(0, 100), 8);
  truncated.peer.reset();
  expect_says(truncated.what_it_says(), "lost");
  out_of_order.send(header(1), 8);
  expect_says(out_of_order.what_it_says(), "frame 1 where frame 0 was due");
  twice.send(header(0), 8);
  twice.send(header(0), 8);
  twice.link->take();
  expect_says(twice.what_it_says(), "frame 0 where frame 1 was due");
  FrameHeader bad = header(0);
  bad.kind = 200;
  unknown.send(bad, 8);
  expect_says(unknown.what_it_says(), "unknown kind 200");
}

// Sends until the connection is cut; how many frames were taken.
size_t send_a_million(ByteStream& peer, const std::function<HeaderBytes(uint32_t)>& frame,
                      std::atomic<size_t>& taken) {
  try {
    while (taken < 1'000'000) {
      peer.write(frame(static_cast<uint32_t>(taken)), nullptr);
      ++taken;
    }
  } catch (const StreamEnded&) {
  }
  return taken;
}

TEST(StreamLink, garbage_without_end_costs_the_peer_its_connection) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 20; ++k) {
    Half half;
    std::atomic<size_t> taken = 0;
    const auto garbage = [&](uint32_t) {
      HeaderBytes bytes;
      for (std::byte& one : bytes) one = static_cast<std::byte>(random());
      bytes[0] |= std::byte{0x80};  // never a kind, but for 255
      bytes[1] |= std::byte{0x20};  // never an element type
      return bytes;
    };
    EXPECT_LT(send_a_million(*half.peer, garbage, taken), 1'000'000u);
    expect_says(half.what_it_says(), "sent a frame of the unknown");
  }
}

// Well-formed and empty, and nobody asked for them: they wait outside, and do not fill the memory.
TEST(StreamLink, a_million_empty_frames_are_not_taken_in) {
  Half half(limits(1 << 12));
  std::atomic<size_t> taken = 0;
  auto sent = std::async(std::launch::async, [&] {
    return send_a_million(
        *half.peer, [](uint32_t k) { return encode_header(header(k, 0)); }, taken);
  });
  for (size_t before = 0, now = 1; before != now;) {  // until nothing moves any more
    before = now;
    std::this_thread::sleep_for(milliseconds(300));
    now = taken;
  }
  Channel ap(Party::ap, *half.link, privacy::Unit::record);
  try {
    ap.receive<int64_t>(Kind::totals);
    FAIL() << "noise was taken for totals";
  } catch (const ProtocolError& error) {
    EXPECT_STREQ(error.what(), "AP waits for totals but got noise");
  }
  half.link.reset();
  EXPECT_LT(sent.get(), 1'000'000u);
}

TEST(StreamLink, a_silent_peer_is_not_waited_for_without_end) {
  Half half(limits(1 << 20, milliseconds(50)));
  expect_says(half.what_it_says(), "sends nothing");
}

TEST(StreamLink, a_peer_that_takes_nothing_is_not_waited_for_either) {
  Half half(limits(1 << 16, milliseconds(200)));
  const auto post = [&] {
    for (int k = 0; k < 1000; ++k)
      half.link->post({Party::ap,
                       Kind::noise,
                       {},
                       std::make_unique<HostValues<int32_t>>(std::vector<int32_t>(1 << 14))});
  };
  EXPECT_THROW(post(), PeerLeft);
}

}  // namespace
}  // namespace maskbench
