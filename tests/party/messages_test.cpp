#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "harness/exchange/stream_link.hpp"
#include "harness/judge/catalog.hpp"
#include "tests/support/socket_stream.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

RunSpec small_spec(const std::string& method) {
  RunSpec spec;
  spec.method = method;
  spec.mode = Mode::materialised;
  spec.train.rounds = 2;
  spec.train.max_depth = 3;
  spec.masked.memory_limit = 1 << 20;
  spec.paillier.key_bits = 1024;
  return spec;
}

bool anything(Party, Kind, const Tag&) {
  return true;
}

// Everything that a party sent, in order: kind, tag, element type, bytes.
std::string said(const Tape& tape, Party from) {
  std::string text;
  for (const Message& message : tape.recorded()) {
    if (message.from != from) continue;
    const FrameHeader header{static_cast<uint8_t>(message.kind), message.payload->element(),
                             message.tag, 0, static_cast<uint32_t>(message.payload->size())};
    const HeaderBytes head = encode_header(header);
    text.append(reinterpret_cast<const char*>(head.data()), head.size());
    const auto bytes = message.payload->bytes();
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return text;
}

struct TwoSides {
  std::array<Tape, 2> tapes;
  ActiveResult ap;
  PassiveResult pp;
};

// The same two programs with a connection between them instead of a baton.
void run_apart(const Method& method, const RunSpec& spec, const toy::Parties& parties,
               TwoSides& out) {
  auto ends = SocketStream::pair();
  const LinkLimits limits{1 << 26, 1 << 20, std::chrono::seconds(60)};
  StreamLink ap_link(Party::ap, std::move(ends[0]), limits);
  StreamLink pp_link(Party::pp, std::move(ends[1]), limits);
  ap_link.listen(&out.tapes[0]);
  pp_link.listen(&out.tapes[1]);
  for (Tape& tape : out.tapes) tape.record(anything);
  auto passive = std::async(std::launch::async, [&] {
    ThreadPool pool(1);
    Notebook notes;
    Channel channel(Party::pp, pp_link, spec.privacy.unit);
    const PassiveContext context{spec, parties.pp, pool, spec.seed, channel, notes, pool};
    out.pp = run_passive(*method.passive(context), context);
    pp_link.leave();
  });
  ThreadPool pool(1);
  Notebook notes;
  Channel channel(Party::ap, ap_link, spec.privacy.unit);
  const ActiveContext context{{spec, parties.ap, pool, spec.seed, channel, notes, pool},
                              parties.data.labels};
  out.ap = run_active(*method.active(context), context, spec.seed);
  ap_link.leave();
  passive.get();
}

enum class Tamper { shorter, longer, empty, other_kind, other_type };

// A party that is not honest: it spoils one of its messages.
class TamperingLink final : public Link {
 public:
  TamperingLink(Link& link, int number, Tamper how) : link_(link), left_(number), how_(how) {}
  void post(Message message) override {
    if (left_-- == 0) spoil(message);
    link_.post(std::move(message));
  }
  const Message& front() override { return link_.front(); }
  Message take() override { return link_.take(); }
  double delay_seconds() const override { return 0; }
  BufferPool& buffers() override { return link_.buffers(); }
  bool has_spoiled() const { return left_ < 0; }

 private:
  void spoil(Message& message) {
    FrameHeader header{static_cast<uint8_t>(message.kind), message.payload->element(), {}, 0, 0};
    const auto count = message.payload->size() / element_bytes(header.element);
    header.count = static_cast<uint32_t>(how_ == Tamper::shorter  ? count - (count > 0)
                                         : how_ == Tamper::longer ? count + 1
                                         : how_ == Tamper::empty  ? 0
                                                                  : count);
    if (how_ == Tamper::other_kind) message.kind = Kind::labels;
    if (how_ == Tamper::other_type) header.element = Element::i8;
    FrameRoom room = make_room(header, buffers());
    const auto bytes = message.payload->bytes();
    std::ranges::fill(room.bytes, std::byte{0});
    const auto kept = std::min(bytes.size(), room.bytes.size());
    std::ranges::copy_n(bytes.begin(), static_cast<std::ptrdiff_t>(kept), room.bytes.begin());
    message.payload = std::move(room.payload);
  }
  Link& link_;
  int left_;
  Tamper how_;
};

// The honest party's words when the other spoils its message `number`; "-": it has not so many.
std::string honest_words(const Method& method, const toy::Parties& parties, Party cheat, int number,
                         Tamper how) {
  const RunSpec spec = small_spec(method.id);
  auto ends = SocketStream::pair();
  const LinkLimits limits{1 << 26, 1 << 20, std::chrono::seconds(60)};
  StreamLink ap_link(Party::ap, std::move(ends[0]), limits);
  StreamLink pp_link(Party::pp, std::move(ends[1]), limits);
  TamperingLink tampering(cheat == Party::ap ? ap_link : pp_link, number, how);
  const auto run = [&](Party me) -> std::string {
    StreamLink& own = me == Party::ap ? ap_link : pp_link;
    ThreadPool pool(1);
    Notebook notes;
    Channel channel(me, me == cheat ? static_cast<Link&>(tampering) : own, spec.privacy.unit);
    const SideContext base{
        spec, me == Party::ap ? parties.ap : parties.pp, pool, spec.seed, channel, notes, pool};
    try {
      if (me == Party::ap) {
        const ActiveContext context{base, parties.data.labels};
        run_active(*method.active(context), context, spec.seed);
      } else {
        run_passive(*method.passive(base), base);
      }
      own.leave();
    } catch (const std::exception& error) {
      own.give_up("failed");
      return error.what();
    }
    return "";
  };
  auto passive = std::async(std::launch::async, run, Party::pp);
  const std::string active = run(Party::ap);
  const std::string of_pp = passive.get();
  if (!tampering.has_spoiled()) return "-";
  return cheat == Party::ap ? of_pp : active;
}

class Messages : public testing::TestWithParam<std::string> {};

TEST_P(Messages, over_a_connection_are_those_of_one_process) {
  const Method& method = find_method(GetParam());
  const RunSpec spec = small_spec(method.id);
  const toy::Parties parties = toy::parties(600, 6, 3);
  Records records;
  records.tape.record(anything);
  const TrainResult one = toy::train(method, spec, parties, 1, records);
  TwoSides two;
  run_apart(method, spec, parties, two);
  Model model;
  model.trees = two.ap.trees;
  model.ap_rules = two.ap.rules;
  model.pp_rules = two.pp.rules;
  model.pp_score = two.pp.score;
  EXPECT_EQ(toy::fingerprint(model), toy::fingerprint(one.model));
  EXPECT_EQ(two.ap.margins, one.margins);
  for (Party from : {Party::ap, Party::pp}) {
    const std::string here = said(records.tape, from);
    for (const Tape& tape : two.tapes) {
      if (method.os_random) {  // fresh ciphertexts: as many bytes, but others
        EXPECT_EQ(said(tape, from).size(), here.size());
      } else {
        EXPECT_TRUE(said(tape, from) == here) << name_of(from);
      }
    }
  }
}

// Some spoiled messages are as good as whole ones: nobody knows how many splits AP borrows at a
// time.
TEST_P(Messages, that_are_spoiled_are_noticed_and_crash_nobody) {
  const Method& method = find_method(GetParam());
  const toy::Parties parties = toy::parties(200, 4, 3);
  int spoiled = 0, noticed = 0;
  for (Party cheat : {Party::ap, Party::pp}) {
    for (int number : {0, 1, 2, 3, 5, 8}) {
      if (method.os_random && number != 1) continue;  // ciphertexts take their time
      for (Tamper how : {Tamper::shorter, Tamper::longer, Tamper::empty, Tamper::other_kind,
                         Tamper::other_type}) {
        const std::string words = honest_words(method, parties, cheat, number, how);
        spoiled += words != "-";
        noticed += words != "-" && !words.empty();
      }
    }
  }
  if (method.id == "local") return;  // says nothing
  EXPECT_GT(spoiled, 0);
  EXPECT_GE(noticed, spoiled / 2) << noticed << " of " << spoiled;
}

std::vector<std::string> methods_apart() {
  std::vector<std::string> out;
  for (const Method& method : methods()) {
    out.push_back(method.id);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, Messages, testing::ValuesIn(methods_apart()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace maskbench
