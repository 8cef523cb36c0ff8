#include "harness/exchange/channel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/exchange/in_process.hpp"
#include "harness/privacy/accountant.hpp"

namespace maskbench {
namespace {

const Price kFree = Price::not_personal("a test's");

// Two parties whose programs are given.
struct Pair {
  Tape tape;
  InProcess process{tape};
  Channel ap{Party::ap, process.link(Party::ap), privacy::Unit::record};
  Channel pp{Party::pp, process.link(Party::pp), privacy::Unit::record};

  void run(const std::function<void()>& active, const std::function<void()>& passive) {
    std::exception_ptr first;
    const auto guarded = [&](const std::function<void()>& program) {
      return [&first, program] {
        try {
          program();
        } catch (...) {
          if (!first) first = std::current_exception();
        }
      };
    };
    process.run(guarded(active), guarded(passive));
    if (first) std::rethrow_exception(first);
    process.check_all_read();
  }
};

TEST(Channel, two_straight_line_programs_talk_in_order) {
  Pair pair;
  std::vector<int> heard;
  pair.run(
      [&] {
        for (int k = 0; k < 3; ++k) {
          pair.ap.send(Kind::gradients, {k}, std::vector<int32_t>{k, k}, kFree);
          heard.push_back(pair.ap.receive<int32_t>(Kind::proposals).front());
        }
      },
      [&] {
        for (int k = 0; k < 3; ++k) {
          Tag tag;
          const auto values = pair.pp.receive<int32_t>(Kind::gradients, &tag);
          EXPECT_EQ(values, (std::vector<int32_t>{k, k}));
          EXPECT_EQ(tag.tree, k);
          pair.pp.send(Kind::proposals, {}, std::vector<int32_t>{10 * k}, kFree);
        }
      });
  EXPECT_EQ(heard, (std::vector<int>{0, 10, 20}));
}

TEST(Channel, the_tape_counts_bytes_by_sender_and_kind) {
  Pair pair;
  pair.run(
      [&] {
        pair.ap.send(Kind::gradients, {0}, std::vector<int32_t>{1, 2, 3}, kFree);
        pair.ap.send(Kind::totals, {0}, std::vector<double>{4}, kFree);
      },
      [&] {
        EXPECT_EQ(pair.pp.next(), Kind::gradients);
        pair.pp.receive<int32_t>(Kind::gradients);
        pair.pp.receive<double>(Kind::totals);
      });
  EXPECT_EQ(pair.tape.bytes(Party::ap, Kind::gradients), Tape::kHeaderBytes + 12);
  EXPECT_EQ(pair.tape.bytes(Party::pp, Kind::gradients), 0u);
  EXPECT_EQ(pair.tape.messages(Party::ap, Kind::totals), 1u);
  EXPECT_EQ(pair.tape.total_bytes(), 2 * Tape::kHeaderBytes + 20);
}

TEST(Channel, a_party_that_expects_something_else_is_a_broken_protocol) {
  const auto send_gradients = [](Pair& pair) {
    return [&pair] { pair.ap.send(Kind::gradients, {}, std::vector<int32_t>{1}, kFree); };
  };
  Pair kind, type, unread;
  EXPECT_THROW(kind.run(send_gradients(kind), [&] { kind.pp.receive<int32_t>(Kind::totals); }),
               std::logic_error);
  EXPECT_THROW(type.run(send_gradients(type), [&] { type.pp.receive<double>(Kind::gradients); }),
               std::logic_error);
  EXPECT_THROW(unread.run(send_gradients(unread), [] {}), std::logic_error);
}

TEST(Channel, parties_that_wait_for_each_other_are_told_so) {
  Pair pair;
  EXPECT_THROW(pair.run([&] { pair.ap.receive<int>(Kind::totals); },
                        [&] { pair.pp.receive<int>(Kind::totals); }),
               std::logic_error);
}

TEST(Channel, a_party_whose_peer_has_ended_is_told_so) {
  Pair by_pp, by_ap;
  EXPECT_THROW(by_pp.run([&] { by_pp.ap.receive<int>(Kind::totals); }, [] {}), PeerLeft);
  EXPECT_THROW(by_ap.run([] {}, [&] { by_ap.pp.receive<int>(Kind::totals); }), PeerLeft);
}

TEST(Channel, the_tape_keeps_only_what_was_asked_for) {
  Pair pair;
  pair.tape.record([](Party to, Kind kind, const Tag& tag) {
    return to == Party::pp && kind == Kind::gradients && tag.tree == 1;
  });
  pair.run(
      [&] {
        for (int tree : {0, 1, 2})
          pair.ap.send(Kind::gradients, {tree}, std::vector<int32_t>{tree}, kFree);
        pair.ap.send(Kind::gradients, {1}, std::make_unique<SimulatedPayload>(1000), kFree);
      },
      [&] {
        for (int k = 0; k < 4; ++k) pair.pp.receive_payload(Kind::gradients);
      });
  ASSERT_EQ(pair.tape.recorded().size(), 1u);  // what was never formed cannot be kept
  EXPECT_EQ(pair.tape.recorded()[0].as<int32_t>(), std::vector<int32_t>{1});
  EXPECT_EQ(pair.tape.total_bytes(), 4 * Tape::kHeaderBytes + 12 + 1000);
}

TEST(Channel, computing_and_blocked_time_are_kept_apart) {
  Pair pair;
  const auto work = [] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
  };
  pair.run([&] { pair.ap.receive<int>(Kind::totals); },
           [&] {
             work();
             pair.pp.send(Kind::totals, {}, std::vector<int>{1}, kFree);
           });
  EXPECT_GE(pair.ap.blocked_seconds(), 0.02);  // a bound that load can only widen
  EXPECT_EQ(pair.pp.blocked_seconds(), 0);
}

// There is no send without a price, and no empty price.
template <class C>
concept SendsWithoutPrice = requires(C& c) {
  c.send(Kind::gradients, Tag{}, std::vector<int>{1});
};
static_assert(!SendsWithoutPrice<Channel>);
static_assert(!std::is_default_constructible_v<Price>);

TEST(Price, must_say_what_covers_the_message_or_why_nothing_does) {
  EXPECT_THROW(Price::covered({}), std::logic_error);
  EXPECT_THROW(Price::together({}), std::logic_error);
  EXPECT_THROW(Price::covered({{privacy::Mechanism::response(1), {}, 0}}), std::logic_error);
  EXPECT_THROW(Price::exposed(""), std::logic_error);
  EXPECT_THROW(Price::derived(""), std::logic_error);
  EXPECT_THROW(Price::not_personal(""), std::logic_error);
}

privacy::Cost cost_of(const Price& price, privacy::View view = privacy::View::stated) {
  privacy::Ledger ledger;
  price.enter(ledger);
  const privacy::Reading reading{privacy::Scope::message, privacy::Unit::record,
                                 privacy::Composition::basic, privacy::MuKind::label,
                                 privacy::Theorem3Kind::tight};
  const privacy::PrivacyAccountant accountant(reading, {1, 1e-3, 1, 1e-3}, ledger,
                                              privacy::Ledger{});
  return accountant.cost(Party::ap, view, reading);
}

TEST(Price, what_nothing_covers_is_never_eps_0) {
  using privacy::Mechanism;
  EXPECT_TRUE(std::isinf(cost_of(Price::exposed("in clear")).eps));
  EXPECT_EQ(cost_of(Price::exposed("in clear")).reason, "in clear");
  EXPECT_TRUE(std::isinf(cost_of(Price::covered({{Mechanism::encrypted(), {}}})).eps));
  // Beside a mechanism an exposure is left out by the claim, but not by whoever reads the wire.
  const Price both =
      Price::covered({{Mechanism::response(1), {}}}).and_also(Price::exposed("more"));
  EXPECT_DOUBLE_EQ(cost_of(both).eps, 1);
  EXPECT_TRUE(std::isinf(cost_of(both, privacy::View::wire).eps));
  EXPECT_EQ(cost_of(Price::not_personal("public")).eps, 0);
}

TEST(Price, noise_that_is_off_is_infinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isinf(cost_of(Price::covered({{privacy::Mechanism::response(inf), {}}})).eps));
  EXPECT_TRUE(
      std::isinf(cost_of(Price::covered({{privacy::Mechanism::gaussian(inf, inf), {}}})).eps));
}

TEST(Price, several_responses_on_one_record_cost_their_sum) {
  const std::vector<privacy::Charge> seven(7, {privacy::Mechanism::response(1.0 / 7, 8), {}});
  EXPECT_NEAR(cost_of(Price::together(seven)).eps, 1, 1e-12);
  EXPECT_NEAR(cost_of(Price::covered(seven)).eps, 1.0 / 7, 1e-12);  // seven messages, one at a time
  EXPECT_EQ(cost_of(Price::together(seven).given("public cuts")).reason, "public cuts");
}

}  // namespace
}  // namespace maskbench
