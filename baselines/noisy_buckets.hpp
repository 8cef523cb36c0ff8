#pragma once

#include <optional>
#include <vector>

#include "harness/base/random.hpp"
#include "harness/exchange/method.hpp"
#include "harness/privacy/calibration.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// FederBoost's release, once before training: every row's bucket of every feature of PP, by q-ary
// randomised response. `eps_pp` is split over PP's features unless each gets all of it.
class BucketsPassive : public PassiveSide {
 public:
  explicit BucketsPassive(const PassiveContext& c);
  void start() override;
  PassivePart part() const override { return PassivePart::borrowed; }

 private:
  double eps_;  // of a feature
  bool zero_noise_;
  RandomKey key_;
};

// Throws unless PP's responses, and what undoes them, can carry the budget.
void check_bucket_budget(const RunSpec& spec, const PartyData& data);

// By randomised response: every row's bucket of one feature.
void respond(const privacy::BucketResponse& rr, int buckets, size_t feature, Draws draws,
             BinnedMatrix& bins);

// The share of eps_pp that each of PP's features has, where all of them share it: an even one, or
// under a reading of the whole training what their composition allows. loss_buckets: a response
// that is priced as one of so many buckets, whatever the feature has.
double eps_a_feature(const RunSpec& spec, const PartyData& data, int loss_buckets = 0);

// What released buckets cost, given the cuts between them.
Price buckets_price(std::vector<privacy::Charge> charges);

// Of a node, every feature's bucket of every row in a byte.
double bucket_bytes(const RunSpec& spec, const NodeShape& node);

// AP's own features and, after them, its noisy copies of PP's.
class BorrowedFeatures {
 public:
  BorrowedFeatures(const PartyData& own, bool debias)
      : own_features_(own.cuts.size()), debias_(debias), all_(own) {}

  void receive(const PartyData& own, std::span<const BucketHeader> headers, Channel& channel);
  const PartyData& all() const { return all_; }
  // Of all features, to be undone in their sums; none: they are taken as they are.
  std::span<const Response> responses() const { return responses_; }

 private:
  size_t own_features_;
  bool debias_;
  PartyData all_;
  std::vector<Response> responses_;
};

// Best splits over all of them from the given gradients.
class BorrowedSearch {
 public:
  BorrowedSearch(const BorrowedFeatures& features, const ScoreParams& params,
                 const Compute& compute)
      : features_(features), params_(params), histograms_(features.all(), compute) {}
  LevelHistograms& begin(const Level& level, const Gradients& gradients) {
    histograms_.update(level, gradients.rows);
    histograms_.search(gradients.grid, params_, features_.responses());
    return histograms_;
  }

 private:
  const BorrowedFeatures& features_;
  ScoreParams params_;
  LevelHistograms histograms_;
};

// What a side of AP becomes that borrows them before training; it says by which gradients.
template <class Side>
class BorrowingActive : public Side {
 public:
  explicit BorrowingActive(const ActiveContext& c)
      : Side(c), features_(c.data, c.spec.federboost.debias) {}

  PassivePart passive_part() const override { return PassivePart::borrowed; }
  const PartyData& searched() const override { return features_.all(); }
  void start() override {
    features_.receive(this->data_, headers(), this->channel_);
    search_.emplace(features_, this->params_, this->compute_);
  }

 protected:
  virtual std::vector<BucketHeader> headers() {
    return this->channel_.template receive<BucketHeader>(Kind::totals);
  }
  LevelHistograms& search(const Level& level, const Gradients& gradients) {
    return search_->begin(level, gradients);
  }

 private:
  BorrowedFeatures features_;
  std::optional<BorrowedSearch> search_;
};

// AP trains alone on its own features and PP's noisy buckets. Its labels stay with it; the splits
// it borrows from PP are told to PP, which must apply them when the model is used.
class BucketsActive : public BorrowingActive<ActiveSide> {
 public:
  using BorrowingActive::BorrowingActive;

  LevelHistograms& search_own(const Level& level) override { return search(level, *clean_); }
  Price choice_price() override {
    return Price::exposed("which of PP's splits AP chose, on clean gradients, is sent in clear");
  }
};

}  // namespace maskbench
