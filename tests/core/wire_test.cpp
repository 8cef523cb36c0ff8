#include "harness/core/wire.hpp"

#include <gtest/gtest.h>

namespace maskbench {
namespace {

TEST(Wire, delivers_in_order_and_counts_bytes_by_kind) {
  Wire wire;
  wire.send(Party::ap, Kind::gradients, {0}, std::vector<int32_t>{1, 2, 3});
  wire.send(Party::ap, Kind::totals, {0}, std::vector<double>{4});
  EXPECT_EQ(wire.receive<int32_t>(Party::pp, Kind::gradients), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(wire.receive<double>(Party::pp, Kind::totals), std::vector<double>{4});
  EXPECT_EQ(wire.bytes(Party::ap, Kind::gradients), Wire::kHeaderBytes + 12);
  EXPECT_EQ(wire.bytes(Party::pp, Kind::gradients), 0u);
  EXPECT_EQ(wire.messages(Party::ap, Kind::totals), 1u);
  EXPECT_EQ(wire.total_bytes(), 2 * Wire::kHeaderBytes + 20);
}

TEST(Wire, a_party_that_expects_something_else_is_a_broken_protocol) {
  Wire wire;
  EXPECT_THROW(wire.receive<int>(Party::ap, Kind::totals), std::logic_error);
  wire.send(Party::ap, Kind::gradients, {}, std::vector<int32_t>{1});
  EXPECT_THROW(wire.receive<int32_t>(Party::pp, Kind::totals), std::logic_error);
  wire.send(Party::ap, Kind::gradients, {}, std::vector<int32_t>{1});
  EXPECT_THROW(wire.receive<double>(Party::pp, Kind::gradients), std::logic_error);
}

TEST(Wire, records_only_what_was_asked_for) {
  Wire wire;
  wire.record([](Party to, Kind kind, const Tag& tag) {
    return to == Party::pp && kind == Kind::gradients && tag.tree == 1;
  });
  for (int tree : {0, 1, 2}) {
    wire.send(Party::ap, Kind::gradients, {tree}, std::vector<int32_t>{tree});
    wire.receive<int32_t>(Party::pp, Kind::gradients);
  }
  ASSERT_EQ(wire.recorded().size(), 1u);
  EXPECT_EQ(wire.recorded()[0].as<int32_t>(), std::vector<int32_t>{1});
}

}  // namespace
}  // namespace maskbench
