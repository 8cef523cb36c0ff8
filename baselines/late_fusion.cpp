#include <limits>

#include "baselines/folds.hpp"
#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"
#include "baselines/public_labels.hpp"
#include "baselines/query_probe.hpp"
#include "baselines/solo.hpp"
#include "harness/base/error.hpp"
#include "harness/base/random.hpp"
#include "harness/privacy/carried.hpp"
#include "harness/trees/passive_score.hpp"

// late-fusion: two models that meet only when a prediction is made. AP releases each label once by
// randomised response. PP fits trees on its own features to the debiased labels and keeps them; its
// score of a row is the log odds above the prior. AP fits trees on its own features and the true
// labels. margin = AP's margin + weight * PP's score. In training PP sends nothing; with stack_eps
// it releases the levels of out-of-fold scores, and AP trains on them as one more feature.
namespace maskbench {

namespace {

Price labels_price(const PrivacySpec& privacy) {
  const double eps = privacy.zero_noise ? std::numeric_limits<double>::infinity() : privacy.eps_ap;
  return Price::covered({{privacy::Mechanism::response(eps), {}}});
}

// Of Laplace noise on a float: its scale of 2 bound/eps must span thousands of the float's steps
// at the bound, or the steps show the score.
constexpr double kLeastQueryEps = 1e-9, kMostQueryEps = 2048;

void check_fusion_budget(const RunSpec& spec, const PartyData&) {
  const LateFusionSpec& fusion = spec.late_fusion;
  const bool levels = fusion.stack_eps > 0;
  if (fusion.eps_query > 0)
    privacy::check_carried("late_fusion.eps_query", fusion.eps_query, kLeastQueryEps,
                           levels ? privacy::kMostResponseEps : kMostQueryEps);
  if (spec.privacy.zero_noise) return;  // targets grow as 1/eps and must keep bits of their grid
  privacy::check_carried("privacy.eps_ap", spec.privacy.eps_ap, 1e-6, privacy::kMostResponseEps);
  if (levels)
    privacy::check_carried("late_fusion.stack_eps", fusion.stack_eps, privacy::kLeastResponseEps,
                           privacy::kMostResponseEps);
}

class LateFusionActive : public SoloActive {
 public:
  explicit LateFusionActive(const ActiveContext& c) : SoloActive(c), context_(c) {
    if (c.spec.train.objective != Objective::classification)
      throw Error("late-fusion needs labels 0 and 1: set train.objective to classification");
    check_fusion_budget(c.spec, c.data);
  }

  void start() override {
    const PrivacySpec& p = spec_.privacy;
    const RandomKey key = derive_key(context_.key, "label-rr");
    channel_.send(Kind::labels, {}, release_labels(context_.labels, p.eps_ap, p.zero_noise, key).z,
                  labels_price(p));
  }

 private:
  const ActiveContext& context_;
};

// AP trains on its own features and the released levels of PP's scores.
class StackedActive : public BorrowingActive<LateFusionActive> {
 public:
  using BorrowingActive::BorrowingActive;

  void start() override {
    LateFusionActive::start();
    BorrowingActive::start();
  }
  LevelHistograms& search_own(const Level& level) override { return search(level, *clean_); }
  Price choice_price() override {
    return Price::exposed("which splits on PP's score AP chose, on clean gradients, is sent");
  }
};

// PP's model: squared loss, so that debiased labels outside [0, 1] do no harm.
TrainSpec own_training(const LateFusionSpec& fusion, double flip) {
  const double shrink = 1 - 2 * flip;
  TrainSpec train;
  train.objective = Objective::regression;
  train.rounds = fusion.trees;
  train.max_depth = fusion.max_depth;
  train.learning_rate = fusion.learning_rate;
  train.lambda = fusion.lambda / (shrink * shrink);
  train.gradient_clip = 4 / shrink;  // more than any difference of two targets: nothing is clipped
  return train;
}

class LateFusionPassive : public PassiveSide {
 public:
  explicit LateFusionPassive(const PassiveContext& c)
      : PassiveSide(c), context_(c), own_spec_(c.spec), fusion_(c.spec.late_fusion) {
    check_fusion_budget(c.spec, c.data);
  }

  void start() override {
    const PrivacySpec& p = spec_.privacy;  // the flip probability follows from eps_AP: public
    const double flip = p.zero_noise ? 0.0 : privacy::label_rr(p.eps_ap).flip;
    const auto labels = channel_.receive<uint8_t>(Kind::labels);
    expect_count(Kind::labels, labels.size(), data_.bins.rows);
    for (const uint8_t z : labels) {
      if (z > 1) throw ProtocolError("AP released a label that is neither 0 nor 1");
      targets_.push_back(static_cast<float>((z - flip) / (1 - 2 * flip)));
    }
    own_spec_.train = own_training(fusion_, flip);
    score_ = fit(data_, targets_);
    if (is_stacked()) release_levels();
  }

  PassivePart part() const override {
    return is_stacked() ? PassivePart::borrowed : PassivePart::idle;
  }
  const PartyData& lent() const override { return levels_; }
  std::optional<PassiveScore> score() override { return std::move(score_); }

  std::vector<Metric> metrics() const override {
    const bool noised = fusion_.eps_query > 0;
    return {{"eps_query",
             noised ? fusion_.eps_query : std::numeric_limits<double>::infinity(),
             "a query",
             -1,
             "ok",
             noised ? "" : "PP's answers are in clear when the model is used",
             {Party::pp}}};
  }

 private:
  bool is_stacked() const { return fusion_.stack_eps > 0; }

  // The program of a party that trains alone, on PP's features.
  PassiveScore fit(const PartyData& data, std::span<const float> targets) const {
    const ActiveContext alone{
        {own_spec_, data, pool_, context_.key, channel_, notes_, context_.compute.anew()}, targets};
    SoloActive side(alone);
    ActiveResult fitted = run_active(side, alone, 0);
    PassiveScore out;
    out.base = fitted.base_margin;
    out.trees = std::move(fitted.trees);
    for (Tree& tree : out.trees)
      for (TreeNode& node : tree.nodes) node.owner = Party::pp;
    out.rules = std::move(fitted.rules);
    out.weight = static_cast<float>(fusion_.weight);
    out.bound = static_cast<float>(fusion_.bound);
    out.eps_query = fusion_.eps_query;
    return out;
  }

  // A score of a row by a model that has not seen it: the fitted ones know their rows too well.
  std::vector<float> out_of_fold() const {
    std::vector<float> scores(data_.bins.rows);
    for (const Fold& fold : folds(data_.bins.rows, 5, derive_key(context_.key, "folds"))) {
      const PassiveScore model = fit(rows_of(data_, fold.rest), rows_of(targets_, fold.rest));
      const std::vector<float> own = passive_scores(model, rows_of(data_, fold.held_out), pool_);
      for (size_t k = 0; k < own.size(); ++k) scores[fold.held_out[k]] = own[k];
    }
    return scores;
  }

  void release_levels() {
    const std::vector<float> scores = out_of_fold();
    score_->cuts = find_cuts(scores, fusion_.levels).cuts;
    const auto levels = static_cast<int>(score_->cuts.size()) + 1;
    if (levels < 2)
      throw Error("late-fusion: PP's scores are all alike; there is no level to tell");
    std::vector<float> places;
    for (const float score : scores) places.push_back(level_of(*score_, score));
    levels_ = level_feature(*score_, places);
    const bool off = spec_.privacy.zero_noise;
    const privacy::BucketResponse rr =
        off ? privacy::BucketResponse{1, 0, 0} : privacy::bucket_rr(fusion_.stack_eps, levels);
    BinnedMatrix noisy = levels_.bins;
    respond(rr, levels, 0, Draws(derive_key(context_.key, "levels")), noisy);
    const double eps = off ? std::numeric_limits<double>::infinity() : fusion_.stack_eps;
    channel_.send(Kind::totals, {}, std::vector<BucketHeader>{{levels, 0, rr.keep, rr.other}},
                  Price::not_personal("the number of levels and their chances are settings"));
    channel_.send(Kind::buckets, {}, std::move(noisy.bins),
                  Price::covered({{privacy::Mechanism::response(eps, levels), {}}})
                      .given("covers a record of PP given the other records: its model and the "
                             "levels' bounds are fitted to all of them"));
  }

  const PassiveContext& context_;
  RunSpec own_spec_;  // of PP's own training
  LateFusionSpec fusion_;
  std::vector<float> targets_;
  std::optional<PassiveScore> score_;
  PartyData levels_;
};

std::unique_ptr<ActiveSide> make_active(const ActiveContext& c) {
  if (c.spec.late_fusion.stack_eps > 0) return std::make_unique<StackedActive>(c);
  return std::make_unique<LateFusionActive>(c);
}

double answer_bytes(const RunSpec& spec, const NodeShape& node) {
  return node.rows * (spec.late_fusion.stack_eps > 0 ? 2 : 1);
}

// PP's trees are as many as they are, however long AP trains.
double fusion_seconds(const RunSpec& spec, const NodeShape&, double clear_tree) {
  return 0.5 * clear_tree * (1.0 + static_cast<double>(spec.late_fusion.trees) / spec.train.rounds);
}

}  // namespace

const Method& late_fusion_method() {
  static const Method method = {
      .id = "late-fusion",
      .what = "labels by randomised response, once; two models that meet in the prediction",
      .active = make_active,
      .passive = passive_side<LateFusionPassive>,
      .uses = {"privacy.eps_ap", "privacy.zero_noise", "privacy.noise_key", "noise.",
               "late_fusion."},
      .check_budget = check_fusion_budget,
      .evidence = {Evidence::labels},
      .probe = query_metrics,
      .own_bytes = answer_bytes,
      .tree_seconds = fusion_seconds,
  };
  return method;
}

}  // namespace maskbench
