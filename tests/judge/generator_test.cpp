// noise.generator: all that a party draws to protect itself comes from the generator that was asked
// for, and from all of its key.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/base/random.hpp"
#include "harness/judge/catalog.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

const toy::Parties& small_data() {
  static const toy::Parties parties = toy::parties(1500, 6, 3, 8);
  return parties;
}

RunSpec spec_of(const std::string& method) {
  RunSpec out;
  out.method = method;
  out.mode = Mode::materialised;
  out.train.rounds = 2;
  out.train.max_depth = 2;
  out.late_fusion.stack_eps = 1;
  out.noise.generator = Generator::aes;
  return out;
}

using Messages = std::vector<std::pair<Kind, std::vector<std::byte>>>;

Messages sent(const RunSpec& spec, const PartyKey& key, int threads = 1) {
  ThreadPool pool(threads);
  Records records;
  records.tape.record([](Party, Kind, const Tag&) { return true; });
  train({find_method(spec.method), spec, small_data().ap, small_data().data.labels, small_data().pp,
         pool, key, key, spec.seed},
        records);
  Messages out;
  for (const Message& message : records.tape.recorded()) {
    const auto bytes = message.payload->bytes();
    out.push_back({message.kind, {bytes.begin(), bytes.end()}});
  }
  return out;
}

// Do the first two messages of a kind differ? (The first may be a header without noise.)
bool differ(const Messages& a, const Messages& b, Kind kind) {
  int seen = 0;
  for (size_t k = 0; k < std::min(a.size(), b.size()) && seen < 2; ++k) {
    if (a[k].first != kind) continue;
    if (a[k] != b[k]) return true;
    ++seen;
  }
  return false;
}

// What carries a party's noise in each method.
struct Noisy {
  std::string method;
  Kind kind;
};

class Generators : public testing::TestWithParam<Noisy> {
  void SetUp() override {
    if (const std::string why = aes_missing(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(Generators, aes_takes_all_128_bits_of_the_key_and_philox_64) {
  RunSpec spec = spec_of(GetParam().method);
  const Messages one = sent(spec, {5, 6, Generator::aes});
  for (const PartyKey& other : {PartyKey(5, 7, Generator::aes), PartyKey(4, 6, Generator::aes)}) {
    EXPECT_TRUE(differ(one, sent(spec, other), GetParam().kind));
  }
  spec.noise.generator = Generator::philox;
  EXPECT_EQ(sent(spec, {5, 6, Generator::philox}), sent(spec, {5, 7, Generator::philox}));
  EXPECT_NE(sent(spec, {5, 6, Generator::philox}), one);
}

TEST_P(Generators, aes_gives_the_same_for_any_number_of_threads) {
  const RunSpec spec = spec_of(GetParam().method);
  const PartyKey key(9, 8, Generator::aes);
  const Messages one = sent(spec, key);
  EXPECT_EQ(sent(spec, key, 3), one);
  EXPECT_EQ(sent(spec, key), one);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Generators,
    testing::Values(Noisy{"masked", Kind::noise}, Noisy{"masked", Kind::masked},
                    Noisy{"xgb-ldp", Kind::gradients}, Noisy{"fedxgb-ldp", Kind::gradients},
                    Noisy{"federboost", Kind::buckets}, Noisy{"opboost", Kind::buckets},
                    Noisy{"label-rr", Kind::labels}, Noisy{"bilateral-rr", Kind::buckets},
                    Noisy{"late-fusion", Kind::labels}, Noisy{"late-fusion", Kind::buckets},
                    Noisy{"smm", Kind::matrices}, Noisy{"random-split", Kind::row_sets}),
    [](const auto& param) {
      std::string name = param.param.method + "_" + std::string(name_of(param.param.kind));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// Every method that has a key for its noise has one for the generator, and the list above is whole.
TEST(Generator, is_a_key_of_every_method_that_draws) {
  for (const Method& method : methods()) {
    const bool draws = method_uses(method.id, "privacy.noise_key");
    EXPECT_EQ(method_uses(method.id, "noise.generator"), draws) << method.id;
  }
}

TEST(PartyKey, philox_keeps_the_keys_that_seeded_results_rest_on) {
  PartyKey(7).derive("ldp").visit([](auto key) {
    if constexpr (std::is_same_v<decltype(key), PhiloxKey>) {
      EXPECT_EQ(key.k0, derive_key(uint64_t{7}, "ldp").k0);
      EXPECT_EQ(key.k1, derive_key(uint64_t{7}, "ldp").k1);
    } else {
      FAIL();
    }
  });
}

TEST(PartyKey, of_answers_is_aes_wherever_the_processor_has_it) {
  if (const std::string why = aes_missing(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_THROW(fresh_query_key().philox(), kernels::KernelError);  // it is not Philox's
  EXPECT_NE(fresh_query_key().block({}).x[0], fresh_query_key().block({}).x[0]);
}

TEST(PartyKey, purposes_and_halves_give_other_keys) {
  if (const std::string why = aes_missing(); !why.empty()) GTEST_SKIP() << why;
  const auto block = [](const PartyKey& key, const char* purpose) {
    const PhiloxBlock b = key.derive(purpose).block({{1, 2, 3, 4}});
    return std::vector<uint32_t>(b.x, b.x + 4);
  };
  const PartyKey key(1, 2, Generator::aes);
  EXPECT_EQ(block(key, "a"), block(key, "a"));
  EXPECT_NE(block(key, "a"), block(key, "b"));
  EXPECT_NE(block(key, "a"), block({1, 3, Generator::aes}, "a"));
  EXPECT_NE(block(key, "a"), block({3, 2, Generator::aes}, "a"));
  EXPECT_NE(block(PartyKey::from_os(Generator::aes), "a"),
            block(PartyKey::from_os(Generator::aes), "a"));
}

}  // namespace
}  // namespace maskbench
