#include <limits>
#include <optional>
#include <utility>

#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"
#include "baselines/public_labels.hpp"
#include "harness/base/error.hpp"
#include "harness/base/random.hpp"

// label-rr: AP releases each label once by randomised response; every split of both parties follows
// from the released labels and public trees, so one eps_AP covers the whole training, delta = 0.
// bilateral-rr: the same on FederBoost's noisy copies of PP's features: both parties are covered.
namespace maskbench {

namespace {

ScoreParams split_params(const SideContext& c) {
  ScoreParams params = c.score_params();
  params.lambda = split_lambda(c.spec);
  return params;
}

constexpr const char* kFeaturesInClear =
    "the rows of AP's splits tell AP's features in clear; of the labels, all is post-processing of "
    "the released ones";

class LabelRrActive : public ActiveSide {
 public:
  explicit LabelRrActive(const ActiveContext& c)
      : ActiveSide(c, split_params(c)),
        released_(release_labels(c.labels, c.spec.privacy.eps_ap, c.spec.privacy.zero_noise,
                                 derive_key(c.key, "label-rr"))),
        public_(c.spec.train, split_lambda(c.spec), released_, c.pool),
        public_leaves_(c.spec.label_rr.leaves == RrLeaves::released) {
    if (c.spec.train.objective != Objective::classification) {
      throw Error(c.spec.method + " needs labels 0 and 1: set train.objective to classification");
    }
  }

  void start() override { channel_.send(Kind::labels, {}, released_.z, labels_price()); }

  void begin_tree(int tree, const Gradients& clean) override {
    ActiveSide::begin_tree(tree, clean);
    gradients_ = &public_.gradients();
  }

  LevelHistograms& search_own(const Level& level) override {
    if (!search_) search_.emplace(data_, params_, compute_);
    return search_->begin(level, *gradients_);
  }
  Price choice_price() override { return Price::exposed(kFeaturesInClear); }
  const Gradients& leaf_gradients() const override {
    return public_leaves_ ? *gradients_ : *clean_;
  }
  void end_tree(std::span<const LeafRows> leaves) override { public_.add_tree(leaves); }
  void replay_tree(int, std::span<const LeafRows> leaves) override {
    public_.gradients();
    public_.add_tree(leaves);
  }

 protected:
  // Of the released labels, once a training.
  Price labels_price() const {
    const double eps =
        spec_.privacy.zero_noise ? std::numeric_limits<double>::infinity() : spec_.privacy.eps_ap;
    return Price::covered({{privacy::Mechanism::response(eps), {}}});
  }

  const Gradients* gradients_ = nullptr;
  ReleasedLabels released_;

 private:
  PublicBoosting public_;
  bool public_leaves_;
  std::optional<SplitSearch> search_;
};

// Follows the public boosting on its own copy and searches its own features.
class LabelRrPassive : public PassiveSide {
 public:
  explicit LabelRrPassive(const PassiveContext& c)
      : PassiveSide(c), search_(c.data, split_params(c), c.compute) {}

  void start() override {
    const PrivacySpec& p = spec_.privacy;  // the flip probability follows from eps_AP: public
    const double flip = p.zero_noise ? 0.0 : privacy::label_rr(p.eps_ap).flip;
    const ReleasedLabels labels{flip, channel_.receive<uint8_t>(Kind::labels)};
    expect_count(Kind::labels, labels.z.size(), data_.bins.rows);
    public_.emplace(spec_.train, split_lambda(spec_), labels, pool_);
  }
  void begin_tree(int) override { gradients_ = &public_->gradients(); }
  void offer(const Level& level) override {
    propose(level, search_.best_splits(level, *gradients_), score_price());
  }
  bool follows_leaves() const override { return true; }
  void end_tree(std::span<const LeafRows> leaves) override { public_->add_tree(leaves); }
  void replay_tree(int, std::span<const LeafRows> leaves) override {
    public_->gradients();
    public_->add_tree(leaves);
  }

 private:
  SplitSearch search_;
  std::optional<PublicBoosting> public_;
  const Gradients* gradients_ = nullptr;
};

// AP has noisy copies of PP's features and searches them with the public gradients, so even the
// splits it tells PP are post-processing of labels by randomised response.
class BilateralRrActive : public BorrowingActive<LabelRrActive> {
 public:
  using BorrowingActive::BorrowingActive;

  LevelHistograms& search_own(const Level& level) override { return search(level, *gradients_); }
  // The first splits that AP borrows are the first thing that anybody hears of the labels.
  Price choice_price() override {
    Price features = Price::exposed("which of PP's splits AP took follows AP's features");
    if (std::exchange(labels_spoken_of_, true)) return features;
    return labels_price().and_also(std::move(features));
  }

 private:
  bool labels_spoken_of_ = false;
};

void check_labels(const RunSpec& spec, const PartyData&) {
  if (!spec.privacy.zero_noise) check_label_budget(spec.privacy.eps_ap);
}

void check_both_budgets(const RunSpec& spec, const PartyData& pp) {
  check_labels(spec, pp);
  check_bucket_budget(spec, pp);
}

double label_bytes(const RunSpec&, const NodeShape& node) {
  return node.rows;
}

// Both parties keep the public margins, and AP refits the leaves.
double label_rr_seconds(const RunSpec&, const NodeShape&, double clear_tree) {
  return 1.6 * clear_tree;
}

}  // namespace

const Method& label_rr_method() {
  static const Method method = {
      .id = "label-rr",
      .what = "labels by randomised response, once; everything after is public",
      .active = active_side<LabelRrActive>,
      .passive = passive_side<LabelRrPassive>,
      .uses = {"privacy.eps_ap", "privacy.zero_noise", "privacy.noise_key", "noise.", "label_rr."},
      .check_budget = check_labels,
      .evidence = {Evidence::labels},
      .own_bytes = label_bytes,
      .tree_seconds = label_rr_seconds,
  };
  return method;
}

const Method& bilateral_rr_method() {
  static const Method method = {
      .id = "bilateral-rr",
      .what = "label-rr, and federboost's response on PP's buckets",
      .active = active_side<BilateralRrActive>,
      .passive = passive_side<BucketsPassive>,
      .uses = {"privacy.eps_ap", "privacy.eps_pp", "privacy.delta_pp", "privacy.reading",
               "privacy.scope", "privacy.composition", "privacy.zero_noise", "privacy.noise_key",
               "noise.", "label_rr.", "federboost."},
      // AP keeps the released labels; PP gets public trees only.
      .check_budget = check_both_budgets,
      .evidence = {Evidence::buckets},
      .own_bytes = bucket_bytes,
  };
  return method;
}

}  // namespace maskbench
