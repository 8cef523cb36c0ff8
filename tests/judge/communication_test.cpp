// The formulas of a node's bytes beside the bytes that a training of one node really sends.
#include "harness/judge/communication.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "harness/exchange/training.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/execute.hpp"
#include "harness/judge/prepare.hpp"

namespace maskbench {
namespace {

RunSpec one_node(const std::string& method) {
  RunSpec spec;
  spec.method = method;
  spec.mode = Mode::materialised;  // all of its messages have bytes
  spec.data.source = Source::synthetic;
  spec.data.rows = 700;
  spec.train.rounds = 1;
  spec.train.max_depth = 1;
  spec.train.max_bins = 8;
  spec.privacy.eps_pp = 4;
  spec.paillier.key_bits = 1024;
  return spec;
}

std::map<std::string, double> formulas(const RunSpec& spec, const PartyData& pp) {
  std::map<std::string, double> out;
  for (const Metric& metric : communication_metrics(spec, pp)) out[metric.name] = metric.value;
  return out;
}

bool is_small(Kind kind) {
  return kind == Kind::setup || kind == Kind::totals || kind == Kind::proposals;
}

struct Counted {
  double payload = 0;   // before the decision, without the small kinds
  double small = 0;     // of the small kinds, before the decision
  double messages = 0;  // that the payload came in
  double formula = 0;
  double candidates = 0;
  double rows = 0;
};

Counted count(const RunSpec& spec) {
  ThreadPool pool(1);
  const auto data = prepare(spec, "", pool);
  Records records;
  records.tape.record([](Party, Kind, const Tag&) { return true; });
  train({find_method(spec.method), spec, data->ap, data->train_labels, data->pp, pool, 1, 2, 3},
        records);
  Counted out;
  out.rows = static_cast<double>(data->train_labels.size());
  out.candidates = static_cast<double>(data->pp.candidates.size());
  out.formula = formulas(spec, data->pp).at("wire_own_formula_bytes");
  uint64_t all = 0;
  bool decided = false;
  for (const Message& message : records.tape.recorded()) {
    all += Tape::kHeaderBytes + message.payload->size();
    decided |= message.kind == Kind::decisions;
    if (decided) continue;
    const bool small = is_small(message.kind);
    (small ? out.small : out.payload) += static_cast<double>(message.payload->size());
    out.messages += !small;
  }
  EXPECT_EQ(all, records.tape.total_bytes()) << "24 bytes a message, and nothing unrecorded";
  return out;
}

class OwnBytes : public testing::TestWithParam<std::string> {};

// To the byte; but for random-split, whose bits fill words of 8 bytes, and for paillier, which
// names its key in 8 bytes of either message.
TEST_P(OwnBytes, are_the_payload_sent_before_the_decision) {
  RunSpec spec = one_node(GetParam());
  std::vector<RunSpec> specs = {spec};
  if (GetParam() == "masked") {
    specs.push_back(spec);
    specs.back().privacy.W = 3;
    specs.back().masked.memory_limit = 1 << 20;  // several blocks
    specs.push_back(spec);
    specs.back().train.gbdt = true;
    specs.push_back(spec);
    specs.back().masked.orient = Orient::smaller;
  }
  if (GetParam() == "smm") {
    specs.push_back(spec);
    specs.back().smm.rank = 5;
  }
  for (const RunSpec& each : specs) {
    const Counted counted = count(each);
    if (GetParam() == "random-split") {
      EXPECT_EQ(counted.payload, 8 * std::ceil(counted.rows / 64));
      EXPECT_LE(counted.formula, counted.payload);
      EXPECT_LT(counted.payload - counted.formula, 8);
    } else if (GetParam() == "paillier") {
      EXPECT_EQ(counted.messages, 2);
      EXPECT_EQ(counted.payload, counted.formula + 16);
    } else {
      EXPECT_EQ(counted.payload, counted.formula);
    }
    EXPECT_EQ(counted.formula == 0, GetParam() == "local");
    // What the formulas leave out is small: shapes, grids, keys, a proposal for the node.
    EXPECT_LE(counted.small, 1000);
    EXPECT_GT(counted.rows * counted.candidates, 10000);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, OwnBytes, testing::ValuesIn(ids(methods())),
                         [](const auto& entry) {
                           std::string name = entry.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// The appendix' example: n = 1000, l = 32, W = 3; 8 bytes a value. A ciphertext is two keys long:
// 512 bytes at 2048 bits. The paper's 2.1 MB are 1024 bytes a ciphertext.
TEST(PaperBytes, are_those_of_the_appendix) {
  const NodeShape node{1000, 32, 40, 2};
  RunSpec spec;
  spec.privacy.W = 3;
  spec.paillier.key_bits = 2048;
  const auto bytes = [&](const char* method) {
    return find_method(method).paper_bytes(spec, node);
  };
  EXPECT_EQ(bytes("xgb-ldp"), 16'256);  // 16 KB
  EXPECT_EQ(bytes("fedxgb-ldp"), 16'256);
  EXPECT_EQ(bytes("masked"), 8 * ((32 * 3 + 2 * 32) * 1000 + 32));  // 1.28 MB
  EXPECT_EQ(bytes("masked"), 1'280'256);
  EXPECT_EQ(bytes("paillier"), 512 * (2 * 1000 + 2 * 32));  // 1.06 MB
  EXPECT_EQ(bytes("federboost"), 16'000);
  spec.paillier.key_bits = 1024;
  EXPECT_EQ(bytes("paillier"), 256 * 2064);
  spec.paillier.key_bits = 4096;
  EXPECT_NEAR(bytes("paillier"), 2.1e6, 0.02e6);
}

TEST(Communication, has_formulas_for_runs_of_one_node_alone) {
  ThreadPool pool(1);
  RunSpec spec = one_node("masked");
  const auto data = prepare(spec, "", pool);
  const auto one = formulas(spec, data->pp);
  EXPECT_EQ(one.at("wire_candidates"), static_cast<double>(data->pp.candidates.size()));
  EXPECT_TRUE(one.contains("wire_formula_bytes"));
  EXPECT_FALSE(formulas(one_node("smm"), data->pp).contains("wire_formula_bytes"));
  spec.train.rounds = 2;
  EXPECT_TRUE(formulas(spec, data->pp).empty());
  spec.train.rounds = 1;
  spec.train.max_depth = 2;
  EXPECT_TRUE(formulas(spec, data->pp).empty());
}

}  // namespace
}  // namespace maskbench
