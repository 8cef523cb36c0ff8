#include <limits>
#include <optional>

#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"
#include "baselines/public_labels.hpp"
#include "harness/core/error.hpp"
#include "harness/core/random.hpp"

// label-rr: AP releases each label once by randomised response; every split of both parties follows
// from the released labels and public trees, so one eps_AP covers the whole training, delta = 0.
// bilateral-rr: the same on FederBoost's noisy copies of PP's features: both parties are covered.
namespace maskbench {

namespace {

ScoreParams split_params(const MethodContext& c) {
  ScoreParams params = c.score_params();
  params.lambda = c.spec.label_rr.split_lambda;  // the released labels are noisy: shrink more
  return params;
}

class LabelRrActive : public ActiveSide {
 public:
  explicit LabelRrActive(const MethodContext& c)
      : ActiveSide(c.ap, split_params(c), c.compute()),
        released_(release_labels(c.ap_labels, c.spec.privacy.eps_ap, c.spec.privacy.zero_noise,
                                 derive_key(c.noise_key, "label-rr"))),
        public_(c.spec.train, c.spec.label_rr.split_lambda, released_, c.pool),
        public_leaves_(c.spec.label_rr.leaves == "public"),
        search_(c.ap, split_params(c), c.compute()) {
    if (c.spec.train.objective != "classification") {
      throw Error("label-rr needs labels 0 and 1: set train.objective to classification");
    }
    const double eps =
        c.spec.privacy.zero_noise ? std::numeric_limits<double>::infinity() : c.spec.privacy.eps_ap;
    c.accountant.charge(privacy::Party::active, privacy::Mechanism::response(eps), {});
  }

  void start(Wire& wire) override { wire.send(Party::ap, Kind::labels, {}, released_.z); }

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    ActiveSide::begin_tree(tree, clean, wire);
    gradients_ = &public_.gradients();
  }

  std::vector<BestSplit> own_splits(const Level& level) override {
    return search_.best_splits(level, *gradients_);
  }
  const Gradients& leaf_gradients() const override {
    return public_leaves_ ? *gradients_ : *clean_;
  }
  void end_tree(std::span<const LeafRows> leaves) override { public_.add_tree(leaves); }

 protected:
  const Gradients* gradients_ = nullptr;
  ReleasedLabels released_;

 private:
  PublicBoosting public_;
  bool public_leaves_;
  SplitSearch search_;
};

// Follows the public boosting on its own copy and searches its own features.
class LabelRrPassive : public PassiveSide {
 public:
  explicit LabelRrPassive(const MethodContext& c)
      : PassiveSide(c.pp, c.pool),
        train_(c.spec.train),
        lambda_(c.spec.label_rr.split_lambda),
        flip_(c.spec.privacy.zero_noise ? 0.0 : privacy::label_rr(c.spec.privacy.eps_ap).flip),
        search_(c.pp, split_params(c), c.compute()) {}

  void start(Wire& wire) override {
    const ReleasedLabels labels{flip_, wire.receive<uint8_t>(Party::pp, Kind::labels)};
    public_.emplace(train_, lambda_, labels, pool_);
  }
  void begin_tree(int, Wire&) override { gradients_ = &public_->gradients(); }
  bool turn(const Level& level, Wire& wire) override {
    propose(level, search_.best_splits(level, *gradients_), wire);
    return true;
  }
  void end_tree(std::span<const LeafRows> leaves) override { public_->add_tree(leaves); }

 private:
  TrainSpec train_;
  double lambda_;
  double flip_;  // public: it follows from eps_AP
  SplitSearch search_;
  std::optional<PublicBoosting> public_;
  const Gradients* gradients_ = nullptr;
};

// AP has noisy copies of PP's features and searches them with the public gradients, so even the
// splits it tells PP are post-processing of the released labels.
class BilateralRrActive : public LabelRrActive {
 public:
  explicit BilateralRrActive(const MethodContext& c)
      : LabelRrActive(c), features_(c.ap, c.spec.federboost.debias) {}

  void start(Wire&) override {}  // nothing but public trees leaves AP
  bool is_solo() const override { return true; }
  const PartyData& searched() const override { return features_.all(); }

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    LabelRrActive::begin_tree(tree, clean, wire);
    if (search_) return;
    features_.receive(data_, wire);
    search_.emplace(features_, params_, compute_);
  }

  std::vector<BestSplit> own_splits(const Level& level) override {
    return search_->best_splits(level, *gradients_);
  }

 private:
  BorrowedFeatures features_;
  std::optional<BorrowedSearch> search_;
};

}  // namespace

Method make_label_rr(const MethodContext& c) {
  c.accountant.charge(
      privacy::Party::passive,
      privacy::Mechanism::exposed(privacy::View::wire, "row sets of PP's splits in clear"), {});
  return {std::make_unique<LabelRrActive>(c), std::make_unique<LabelRrPassive>(c)};
}

Method make_bilateral_rr(const MethodContext& c) {
  return {std::make_unique<BilateralRrActive>(c), std::make_unique<BucketsPassive>(c)};
}

}  // namespace maskbench
