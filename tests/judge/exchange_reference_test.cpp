// Models, messages and results of every seeded method and mode are, to the last bit, what they
// were: at commit 06f8685, where both parties lived in one loop, and for masked since its messages
// have one grid (under equal and sound since its budget goes to the levels as they come).
// exchange_cases.txt: a case a line, its name and its settings.
// exchange_reference.csv: "case,what,value" (MASKBENCH_WRITE_REFERENCE=FILE appends the lines of
// the cases that run to FILE):
//   model, gains     SHA-256 of the model's text, floats as their bits; of base margin and gains
//   margins          SHA-256 of the training rows' margins at the end
//   <ap|pp>_<kind>   "<messages> <bytes on the wire> <SHA-256 of tags and payloads in order>"
//   order            SHA-256 of the sequence of (sender, kind) of all messages
//   metric NAME@ROUND  a number of the results as a hexadecimal float, or "skip"; NAME with party
//                      and kind of message where it has them
// A hash is "-" where nothing must repeat: what fused and collapsed count without sending it, all
// of paillier (its keys follow no seed) and smm's matrices (doubles by Eigen). What the parties
// have told each other since then to get in step (Kind::setup) is left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/base/random.hpp"
#include "harness/base/sha256.hpp"
#include "harness/config/reading.hpp"
#include "harness/config/schema.hpp"
#include "harness/exchange/training.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/execute.hpp"
#include "harness/judge/prepare.hpp"
#include "tests/support/metric_name.hpp"

namespace maskbench {
namespace {

constexpr const char* kBase =
    "data.source=synthetic data.dataset=adult data.rows=700 "
    "train.rounds=3 train.max_depth=4 train.max_bins=8 seed=5";

// Payloads are hashed as they lie in memory: no element may have bytes that nobody set.
static_assert(sizeof(CandidateHeader) == 3 * sizeof(uint32_t));
static_assert(sizeof(BinsHeader) == 2 * sizeof(int32_t));
static_assert(sizeof(BucketHeader) == 2 * sizeof(int32_t) + 2 * sizeof(double));
static_assert(sizeof(Decision) == 2 * sizeof(int64_t));
static_assert(sizeof(Proposal) == sizeof(double) + sizeof(int64_t));
static_assert(sizeof(GradientPair) == 2 * sizeof(int32_t));
static_assert(sizeof(Tag) == 4 * sizeof(int32_t));
static_assert(std::endian::native == std::endian::little);

using Lines = std::map<std::string, std::string>;

struct Case {
  std::string id, settings;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  std::ifstream in(MASKBENCH_TEST_DIR "/judge/exchange_cases.txt");
  for (std::string line; std::getline(in, line);) {
    const size_t space = line.find(' ');
    out.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return out;
}

const std::map<std::string, Lines>& reference() {
  static const auto all = [] {
    std::map<std::string, Lines> out;
    std::ifstream in(MASKBENCH_TEST_DIR "/judge/exchange_reference.csv");
    for (std::string line; std::getline(in, line);) {
      const size_t first = line.find(','), second = line.find(',', first + 1);
      out[line.substr(0, first)][line.substr(first + 1, second - first - 1)] =
          line.substr(second + 1);
    }
    return out;
  }();
  return all;
}

RunSpec spec_of(const Case& c) {
  RunSpec spec;
  std::set<std::string> given;
  std::istringstream words(fmt::format("{} {}", kBase, c.settings));
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const Key* key = find_key(word.substr(0, equals));
    EXPECT_NE(key, nullptr) << word;
    set_key(spec, *key, word.substr(equals + 1));
    given.insert(key->name);
  }
  resolve_reading(spec, given);
  return spec;
}

std::string bits(float value) {
  return fmt::format("{:08x}", std::bit_cast<uint32_t>(value));
}

std::string bits(double value) {
  return fmt::format("{:016x}", std::bit_cast<uint64_t>(value));
}

std::string fingerprint(const Model& model) {
  std::string text;
  for (const Tree& tree : model.trees) {
    for (const TreeNode& node : tree.nodes) {
      text += fmt::format("{} {} {} {} {}\n", node.left, node.right, static_cast<int>(node.owner),
                          node.rule, bits(node.weight));
    }
  }
  for (const auto* rules : {&model.ap_rules, &model.pp_rules}) {
    for (const SplitRule& rule : *rules) {
      text += fmt::format("{} {} {}\n", rule.feature, bits(rule.threshold),
                          static_cast<int>(rule.missing_left));
    }
  }
  return text;
}

std::string gains(const Model& model) {
  std::string text = bits(model.base_margin) + '\n';
  for (const Tree& tree : model.trees) {
    for (const TreeNode& node : tree.nodes) text += bits(node.gain) + '\n';
  }
  return text;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The block of a simulated exchange: the reference has only its counts.
bool is_simulated(const RunSpec& spec, const Message& m) {
  const bool of_block = m.kind == Kind::noise || m.kind == Kind::masked || m.tag.candidate >= 0;
  return spec.method == "masked" && spec.mode != Mode::materialised && of_block;
}

void add_messages(const RunSpec& spec, const Tape& tape, Lines& out) {
  std::map<std::pair<Party, Kind>, std::string> sent;  // tags and payloads
  std::string order;
  for (const Message& m : tape.recorded()) {
    if (m.kind == Kind::setup) continue;
    std::string& text = sent[{m.from, m.kind}];
    text += text_of(std::as_bytes(std::span(&m.tag, 1)));
    text += text_of(m.payload->bytes());
    if (is_simulated(spec, m)) continue;
    order += static_cast<char>(m.from);
    order += static_cast<char>(m.kind);
  }
  for (Party from : {Party::ap, Party::pp}) {
    for (size_t k = 0; k < static_cast<size_t>(Kind::setup); ++k) {
      const auto kind = static_cast<Kind>(k);
      if (tape.messages(from, kind) == 0) continue;
      out[fmt::format("{}_{}", from == Party::ap ? "ap" : "pp", name_of(kind))] =
          fmt::format("{} {} {}", tape.messages(from, kind), tape.bytes(from, kind),
                      sha256_of_text(sent[{from, kind}]));
    }
  }
  out["order"] = sha256_of_text(order);
}

// Trains as execute() does, but keeps every message.
Lines trained(const RunSpec& spec, int threads) {
  ThreadPool pool(threads);
  const auto data = prepare(spec, "", pool);
  const uint64_t seed = noise_key(spec), key = derive_seed(seed, "noise");
  Records records;
  records.tape.record([](Party, Kind, const Tag&) { return true; });
  const TrainResult result = train({find_method(spec.method), spec, data->ap, data->train_labels,
                                    data->pp, pool, key, key, seed},
                                   records);
  Lines out = {
      {"model", sha256_of_text(fingerprint(result.model))},
      {"gains", sha256_of_text(gains(result.model))},
      {"margins", sha256_of_text(text_of(std::as_bytes(std::span(result.margins))))},
  };
  add_messages(spec, records.tape, out);
  return out;
}

// Time, memory and the accountant's own numbers are not compared.
bool is_compared(const Metric& metric) {
  return metric.name.find("seconds") == std::string::npos && metric.name != "peak_rss" &&
         metric.name != "eps" && !metric.name.starts_with("eps_") && metric.of.kind != "setup";
}

Lines executed(const RunSpec& spec) {
  Lines out;
  double setup = 0;
  const RunResult result = execute(spec, {});
  for (const Metric& m : result.metrics) {
    if (m.of.kind == "setup") setup += m.value;
  }
  for (const Metric& m : result.metrics) {
    if (!is_compared(m)) continue;
    const double number = m.name == "wire_bytes" ? m.value - setup : m.value;
    std::string value = "skip";
    if (m.status == "ok") value = std::isnan(number) ? "nan" : fmt::format("{:a}", number);
    out[fmt::format("metric {}@{}", full_name(m), m.round)] = value;
  }
  return out;
}

class ExchangeReference : public testing::TestWithParam<Case> {};

TEST_P(ExchangeReference, models_messages_and_results_are_what_they_were) {
  const RunSpec spec = spec_of(GetParam());
  Lines got = trained(spec, 1);
  for (int threads : {2, 3}) {
    if (GetParam().id == "paillier") break;  // its ciphertexts are never the same
    EXPECT_EQ(trained(spec, threads), got) << threads << " threads";
  }
  got.merge(executed(spec));
  if (const char* file = std::getenv("MASKBENCH_WRITE_REFERENCE")) {
    std::ofstream out(file, std::ios::app);
    for (const auto& [what, value] : got)
      out << GetParam().id << ',' << what << ',' << value << '\n';
    return;
  }
  const Lines& expected = reference().at(GetParam().id);
  for (const auto& [what, value] : expected) {
    if (!got.contains(what)) {
      ADD_FAILURE() << what << " is missing";
      continue;
    }
    const bool counts_only = value.ends_with(" -");
    const std::string& mine = got.at(what);
    EXPECT_EQ(counts_only ? mine.substr(0, mine.rfind(' ')) + " -" : mine, value) << what;
  }
  for (const auto& [what, value] : got) EXPECT_TRUE(expected.contains(what)) << what << " is new";
}

INSTANTIATE_TEST_SUITE_P(Cases, ExchangeReference, testing::ValuesIn(cases()),
                         [](const auto& entry) {
                           std::string name = entry.param.id;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace maskbench
