#include <gtest/gtest.h>

#include <future>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/exchange/stream_link.hpp"
#include "harness/party/align.hpp"
#include "harness/party/greeting.hpp"
#include "harness/party/ledger_io.hpp"
#include "harness/party/table.hpp"
#include "tests/support/scratch_dir.hpp"
#include "tests/support/socket_stream.hpp"

namespace maskbench {
namespace {

// What each of two programs throws; empty: nothing.
std::array<std::string, 2> outcome(const std::function<void(Channel&)>& ap,
                                   const std::function<void(Channel&)>& pp) {
  auto ends = SocketStream::pair();
  const LinkLimits limits{1 << 20, 1 << 20, std::chrono::seconds(20)};
  const auto run = [&](Party me, std::unique_ptr<ByteStream> end,
                       const std::function<void(Channel&)>& program) -> std::string {
    StreamLink link(me, std::move(end), limits);
    Channel channel(me, link, privacy::Unit::record);
    try {
      program(channel);
      link.leave();
    } catch (const std::exception& error) {
      link.give_up("failed");
      return error.what();
    }
    return "";
  };
  auto passive = std::async(std::launch::async, run, Party::pp, std::move(ends[1]), pp);
  const std::string active = run(Party::ap, std::move(ends[0]), ap);
  return {active, passive.get()};
}

Greeting greeting(Party role) {
  return {kProtocolVersion, role, "train", "abc", "a=1\nb=2\n", false, {}, 0, "p", ""};
}

TEST(Greeting, names_the_first_thing_that_differs) {
  const Greeting ap = greeting(Party::ap);
  EXPECT_EQ(difference(ap, greeting(Party::pp)), "");
  const auto changed = [&](auto change) {
    Greeting pp = greeting(Party::pp);
    change(pp);
    return difference(ap, pp);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(changed([](Greeting& g) { g.protocol = 1; }), "PP version 1"));
  EXPECT_TRUE(has(changed([](Greeting& g) { g.commit = "x\n"; }), "commit abc, PP of x?"));
  EXPECT_TRUE(
      has(changed([](Greeting& g) { g.config = "a=1\nb=3\n"; }), "b is 2 at AP and 3 at PP"));
  EXPECT_TRUE(has(changed([](Greeting& g) { g.config = "a=1\n"; }), "b is 2 at AP and (nothing)"));
  EXPECT_TRUE(has(changed([](Greeting& g) { g.role = Party::ap; }), "both are AP"));
  EXPECT_TRUE(has(changed([](Greeting& g) { g.task = "predict"; }), "PP to predict"));
  EXPECT_TRUE(has(changed([](Greeting& g) { g.resume = true; }), "PP has --resume"));
  EXPECT_EQ(changed([](Greeting& g) { g.with = "p"; }), "");
  EXPECT_TRUE(
      has(changed([](Greeting& g) { g.with = "q"; }), "PP holds a training with another AP"));
}

TEST(Greeting, of_another_program_is_refused) {
  const Price free = Price::not_personal("a test's");
  for (const char* text : {"", "{}", "[1,2]", "\xff\xfe", R"({"maskbench":"one"})",
                           R"({"maskbench":3,"role":"CP"})", R"({"maskbench":3,"role":7})"}) {
    const auto said = outcome([](Channel& c) { greet(c, greeting(Party::ap)); },
                              [&](Channel& c) { send_text(c, text, free), receive_text(c); });
    EXPECT_NE(said[0].find("not maskbench's"), std::string::npos) << text << ": " << said[0];
  }
}

TEST(Align, the_same_rows_pass_and_others_are_counted) {
  const auto align = [](std::vector<std::string> ap, std::vector<std::string> pp) {
    return outcome([&](Channel& c) { align_as_active(c, ap); },
                   [&](Channel& c) { align_as_passive(c, pp); });
  };
  EXPECT_EQ(align({"1", "2", "10"}, {"1", "2", "10"}), (std::array<std::string, 2>{}));
  const auto said = align({"1", "2", "3", "10"}, {"1", "7", "10"});
  EXPECT_NE(said[0].find("PP lacks 2 of AP's 4, the first with id '2'; AP lacks 1 of PP's"),
            std::string::npos)
      << said[0];
  EXPECT_NE(said[1].find("AP lacks 1 of PP's 3, the first with id '7'; PP lacks 2 of AP's"),
            std::string::npos)
      << said[1];
}

TEST(Align, lists_of_rows_are_checked) {
  const auto lists = [](std::vector<uint32_t> train, std::vector<uint32_t> test) {
    return outcome(
        [&](Channel& c) {
          send_rows(c, {train, test});
        },
        [&](Channel& c) { receive_rows(c, 4); })[1];
  };
  EXPECT_EQ(lists({0, 2}, {1, 3}), "");
  for (const auto& train : {std::vector<uint32_t>{}, {2, 0}, {1, 1}, {0, 4}})
    EXPECT_NE(lists(train, {1}), "");
}

TEST(Table, is_in_the_order_of_ids_whatever_the_file_is_in) {
  const ScratchDir dir;
  dir.write("a.csv", "label,x,id\n1,3,10\n0,1,2\n1,2,9\n");
  dir.write("twice.csv", "label,x,id\n1,3,10\n0,1,10\n");
  dir.write("none.csv", "label,x,id\n1,3,10\n0,1,\n");
  dir.write("no_id.csv", "label,x\n1,3\n0,1\n");
  ThreadPool pool(1);
  const auto read = [&](const char* name, Party owner) {
    return read_table(dir / name, {owner, false, true, {}}, pool);
  };
  const PartyTable table = read("a.csv", Party::ap);
  EXPECT_EQ(table.ids, (std::vector<std::string>{"2", "9", "10"}));
  EXPECT_EQ(table.data.labels, (std::vector<float>{0, 1, 1}));
  ASSERT_EQ(table.data.features.size(), 1u);
  EXPECT_EQ(table.data.features[0].values, (std::vector<float>{1, 2, 3}));
  for (const char* name : {"twice.csv", "none.csv", "no_id.csv"})
    EXPECT_THROW(read(name, Party::ap), Error) << name;
  EXPECT_THROW(read("a.csv", Party::pp), Error) << "PP has no labels";
}

// The numbers of the mechanisms may differ; what was charged where may not.
std::map<std::pair<privacy::Where, std::string>, int64_t> charged(const privacy::Ledger& ledger) {
  const nlohmann::json json = ledger_json(ledger);
  std::map<std::pair<privacy::Where, std::string>, int64_t> out;
  for (const auto& [where, place] : ledger.places()) {
    const auto name = [&](int number) {
      return json["mechanisms"][static_cast<size_t>(number)].dump();
    };
    for (const auto& [number, count] : place.alone) out[{where, name(number)}] += count;
    for (const auto& group : place.together) {
      for (const auto& [number, count] : group) out[{where, "together " + name(number)}] += count;
    }
  }
  return out;
}

TEST(Ledger, comes_back_from_json_and_goes_on_after_some_trees) {
  using privacy::Mechanism;
  privacy::Ledger ledger;
  ledger.charge({Mechanism::response(1.5), {}});
  for (int tree : {0, 1, 2}) {
    ledger.charge({Mechanism::gaussian(0.125, 0.5), {tree, 1, 3}, 4});
    const privacy::Charge one{Mechanism::theorem3(2.5, 1, 100), {tree}};
    ledger.charge_together(std::vector{one, one});
  }
  ledger.note({privacy::Note::Kind::exposed, privacy::View::wire, "in clear"});
  const auto back = ledger_from_json(ledger_json(ledger), privacy::Unit::record);
  EXPECT_EQ(charged(ledger).size(), 7u);
  EXPECT_EQ(charged(back), charged(ledger));
  EXPECT_EQ(back.notes(), ledger.notes());
  privacy::Ledger resumed;
  resumed.charge({Mechanism::response(1.5), {}});
  resumed.add_trees(ledger_from_json(ledger_json(ledger, 1), privacy::Unit::record), 2);
  const auto places = resumed.places();
  ASSERT_EQ(places.size(), 3u);  // the training, tree 1, its node
  EXPECT_EQ(places.at({1, 1, 3}).alone.begin()->second, 4);
  EXPECT_EQ(places.at({1}).together.size(), 1u);
}

}  // namespace
}  // namespace maskbench
