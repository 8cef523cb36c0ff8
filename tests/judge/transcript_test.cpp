// The short form of tab-transcript: methods that are broken on purpose are caught, sound ones are
// not accused.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "harness/base/random.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/transcript_run.hpp"
#include "tests/support/metric_name.hpp"

namespace maskbench {
namespace {

enum class Fault { none, clear_gradients, reused_noise, skipped_response, two_grids };

constexpr double kSigma = 4;  // of the noise on g: a flipped label moves it by 1

// Once a tree g of all rows, with noise; or what the fault makes of it. PP follows and proposes
// nothing.
template <Fault fault>
class FaultyActive : public ActiveSide {
 public:
  explicit FaultyActive(const ActiveContext& c)
      : ActiveSide(c), labels_(c.labels), key_(derive_key(c.key, "faulty")) {}

  void begin_tree(int tree, const Gradients& clean) override {
    ActiveSide::begin_tree(tree, clean);
    if constexpr (fault == Fault::skipped_response) {
      if (tree == 0) send_labels();
      return;
    }
    std::vector<int32_t> values;
    Draws draws(key_, fault == Fault::reused_noise ? 0u : static_cast<uint32_t>(tree));
    for (const GradientPair& row : clean.rows) values.push_back(noisy(row.g, draws));
    channel_.send(Kind::gradients, {tree}, std::move(values), price(tree));
  }
  std::vector<Proposal> proposals(const Level& level) override {
    return std::vector<Proposal>(level.nodes.size());
  }
  Price choice_price() override { return Price::derived("from nothing: claimed by the fault"); }

 private:
  int32_t noisy(int32_t g, Draws& draws) const {
    if (fault == Fault::clear_gradients) return g;
    double normal = -6;
    for (int k = 0; k < 12; ++k) normal += draws.uniform();
    const double steps = kSigma * normal * (1 << kGradientBits);
    if (fault != Fault::two_grids) return g + static_cast<int32_t>(std::lround(steps));
    const double coarse = 1 << 21;  // the noise has a grid of its own, wider than any change of g
    return g + static_cast<int32_t>(std::lround(steps / coarse) * static_cast<int64_t>(coarse));
  }
  Price price(int tree) const {
    if (fault == Fault::clear_gradients) return Price::derived("from nothing: unpriced");
    return Price::covered({{privacy::Mechanism::gaussian(1 / kSigma, 1), {tree}}});
  }
  void send_labels() {
    std::vector<uint8_t> z;
    for (const float y : labels_) z.push_back(y > 0.5f);
    channel_.send(Kind::labels, {}, std::move(z),
                  Price::covered({{privacy::Mechanism::response(1), {}}}));
  }

  std::span<const float> labels_;
  RandomKey key_;
};

template <Fault fault>
class FaultyPassive : public PassiveSide {
 public:
  using PassiveSide::PassiveSide;
  void begin_tree(int tree) override {
    if (fault != Fault::skipped_response) channel_.receive<int32_t>(Kind::gradients);
    if (fault == Fault::skipped_response && tree == 0) channel_.receive<uint8_t>(Kind::labels);
  }
};

template <Fault fault>
Method faulty() {
  return {.id = "faulty",
          .what = "",
          .active = active_side<FaultyActive<fault>>,
          .passive = passive_side<FaultyPassive<fault>>};
}

std::map<std::string, double> audited(const Method& method, int64_t trials, double gamma = 0) {
  RunSpec spec;
  spec.train.gamma = gamma;
  spec.train.base_score = BaseScore::half;  // so that a tree without splits moves the margins
  spec.method = method.id;
  spec.train.rounds = 2;
  spec.train.max_depth = 1;
  spec.attack.trials = trials;
  ThreadPool pool(2);
  std::map<std::string, double> out;
  for (const Metric& m : transcript_metrics(method, spec, pool, 1)) out[full_name(m)] = m.value;
  return out;
}

// No split gains that much: AP's decisions, which follow the labels in clear, are the same in both
// worlds, and nothing but the fault can tell them apart.
constexpr double kNoSplits = 1e6;

TEST(Transcript, every_fault_shows_more_than_is_claimed) {
  const auto caught = [](const Method& method) {
    const auto found = audited(method, 600, kNoSplits);
    EXPECT_GT(found.at("transcript_eps AP"), 3) << found.at("transcript_claim AP stated");
    EXPECT_LT(found.at("transcript_claim AP stated"), 2);
  };
  caught(faulty<Fault::clear_gradients>());
  caught(faulty<Fault::reused_noise>());
  caught(faulty<Fault::skipped_response>());
  caught(faulty<Fault::two_grids>());
  const auto sound = audited(faulty<Fault::none>(), 600, kNoSplits);
  EXPECT_LE(sound.at("transcript_eps AP"), sound.at("transcript_claim AP stated"));
}

TEST(Transcript, what_a_mechanism_covers_is_not_accused) {
  for (const char* id : {"late-fusion", "local", "label-rr"}) {
    const auto found = audited(find_method(id), 600);
    EXPECT_LE(found.at("transcript_eps AP"), found.at("transcript_claim AP stated")) << id;
  }
  for (const char* id : {"federboost", "opboost", "late-fusion"}) {
    const auto found = audited(find_method(id), 600);
    EXPECT_LE(found.at("transcript_eps PP"), found.at("transcript_claim PP stated")) << id;
  }
}

// nonprivate's gradients are in clear, and so are the rows of random-split's cuts.
TEST(Transcript, reads_what_is_in_clear) {
  EXPECT_GT(audited(find_method("nonprivate"), 600).at("transcript_eps AP"), 4);
  const auto rows = audited(find_method("random-split"), 600);
  EXPECT_GT(rows.at("transcript_eps PP"), 0.5);
  EXPECT_TRUE(std::isinf(rows.at("transcript_claim PP wire")));
}

}  // namespace
}  // namespace maskbench
