#include "fixture.hpp"

namespace maskbench::paillier {
namespace {

std::vector<GradientPair> seeded_rows(std::size_t count, int bits, unsigned seed) {
  std::mt19937 generator(seed);
  const std::int32_t bound = 1 << bits;
  std::uniform_int_distribution<std::int32_t> draw(-bound, bound);
  std::vector<GradientPair> rows(count);
  for (auto& row : rows) row = {draw(generator), draw(generator)};
  return rows;
}

TEST(Packing, slots_hold_the_largest_sums_and_no_less) {
  const PublicKey& key = Parties::small().key();
  const Layout layout(key, 1000, 20);
  EXPECT_EQ(layout.slot_bits(), 31u);  // 1000 * 2^20 < 2^30, and a sign
  EXPECT_EQ(layout.sums_per_ciphertext(), 8u);
  EXPECT_EQ(layout.packed_count(0), 0u);
  EXPECT_EQ(layout.packed_count(8), 1u);
  EXPECT_EQ(layout.packed_count(9), 2u);
  EXPECT_EQ(Layout(key, 1000, 20, Travels::gradients).sums_per_ciphertext(), 16u);
}

TEST(Packing, extreme_sums_survive_in_every_slot) {
  const Parties& parties = Parties::small();
  const std::size_t rows = 1000;
  const Layout layout(parties.key(), rows, 20);
  const std::int32_t top = 1 << 20;
  std::vector<GradientPair> extremes;
  for (int i = 0; i < 6; ++i)  // 24 sums fill three ciphertexts
    extremes.insert(extremes.end(), {{top, top}, {-top, -top}, {top, -top}, {-top, top}});
  const auto single = parties.evaluator.receive(parties.owner.encrypt(layout.encode(extremes)));
  const auto packed = parties.evaluator.pack(parties.evaluator.scale(single, rows), layout);
  const auto decoded = layout.decode(parties.owner.decrypt(parties.evaluator.send(packed)), 24);
  for (std::size_t i = 0; i < extremes.size(); ++i)
    EXPECT_EQ(decoded[i], (GradientSum{std::int64_t{extremes[i].g} * 1000,
                                       std::int64_t{extremes[i].h} * 1000}));
}

TEST(Packing, overflow_is_refused_before_anything_is_encrypted) {
  const PublicKey& key = Parties::small().key();
  const Layout layout(key, 3, 10);
  const std::vector<GradientPair> fits{{1024, -1024}, {0, 0}, {-1024, 1024}};
  EXPECT_NO_THROW(layout.encode(fits));
  EXPECT_NE(error_of([&] {
              layout.encode(std::vector<GradientPair>{{0, 0}, {1025, 0}});
            }).find("row 1 has g = 1025"),
            std::string::npos);
  EXPECT_THROW(layout.encode(std::vector<GradientPair>{{0, -1025}}), Error);
  EXPECT_THROW(layout.encode(std::vector<GradientPair>(4)), Error);
  EXPECT_NO_THROW(
      Layout(key, 3, 10, Travels::gradients).encode(std::vector<GradientPair>{{0, 9999}}));
  EXPECT_THROW(Layout(key, 0), Error);
  EXPECT_THROW(Layout(key, std::size_t{1} << 45, 20), Error);
  const Parties tiny(256);
  EXPECT_NO_THROW(Layout(tiny.key(), 1000, 50));
  EXPECT_THROW(Layout(tiny.key(), 10000, 50), Error);
}

TEST(Packing, a_pack_of_the_wrong_count_is_refused) {
  const Layout layout(Parties::small().key(), 1000, 20);
  EXPECT_THROW(layout.decode(Plaintexts(2, 8), 8), Error);
}

struct Columns {
  std::vector<std::uint8_t> bins;
  std::vector<std::uint32_t> offsets{0, 5, 5 + 17, 5 + 17 + 2};
  kernels::BinMatrix matrix() const { return {bins, 3}; }

  explicit Columns(std::size_t rows) {
    std::mt19937 generator(11);
    for (std::size_t row = 0; row < rows; ++row)
      for (const unsigned count : {5u, 16u, 2u})  // one bin of the second feature stays empty
        bins.push_back(static_cast<std::uint8_t>(generator() % count));
  }
};

std::vector<GradientSum> plain_histogram(const Columns& columns,
                                         std::span<const GradientPair> gradients,
                                         std::span<const std::uint32_t> rows) {
  std::vector<GradientSum> sums(columns.offsets.back());
  std::vector<std::int64_t> packed(columns.offsets.back());
  histogram_rows(columns.matrix(), columns.offsets, gradients.data(), rows, sums, packed);
  return sums;
}

TEST(Packing, encrypted_histograms_and_siblings_equal_plain_ones) {
  const Parties& parties = Parties::small();
  const Evaluator& evaluator = parties.evaluator;
  const std::size_t count = 9000;  // several chunks
  const Columns columns(count);
  const auto gradients = seeded_rows(count, kGradientBits, 12);
  std::vector<std::uint32_t> parent, left, right;
  for (std::uint32_t row = 0; row < count; ++row) {
    parent.push_back(row);
    (row % 3 == 0 ? left : right).push_back(row);
  }
  for (const Travels travels : {Travels::gradients_and_hessians, Travels::gradients}) {
    const Layout layout(parties.key(), count, kGradientBits, travels);
    const auto rows = evaluator.receive(parties.owner.encrypt(layout.encode(gradients)));
    const auto whole = evaluator.histogram(columns.matrix(), columns.offsets, parent, rows);
    const auto small = evaluator.histogram(columns.matrix(), columns.offsets, left, rows);
    const auto sibling = evaluator.subtract(whole, small);
    const auto expect = [&](const Ciphertexts& sums, std::span<const std::uint32_t> of) {
      const auto message = evaluator.send(evaluator.pack(sums, layout));
      EXPECT_EQ(message.size(), layout.packed_count(sums.size()));
      auto expected = plain_histogram(columns, gradients, of);
      if (travels == Travels::gradients)
        for (auto& sum : expected) sum.h = 0;
      EXPECT_EQ(layout.decode(parties.owner.decrypt(message), sums.size()), expected);
    };
    expect(whole, parent);
    expect(small, left);
    expect(sibling, right);
    expect(evaluator.histogram(columns.matrix(), columns.offsets, {}, rows), {});
  }
}

}  // namespace
}  // namespace maskbench::paillier
