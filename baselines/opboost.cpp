#include <cmath>
#include <limits>

#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"
#include "harness/base/random.hpp"
#include "harness/privacy/carried.hpp"
#include "harness/privacy/order_response.hpp"

// OpBoost (Li and others, VLDB 2022): PP sends, once, a copy of every feature in which bucket i
// became j with probability proportional to exp(-eps |i - j| / 2). The order of values survives
// better than under randomised response; two values at distance d are told apart by at most eps d.
// AP trains alone on the copies, as in federboost. The missing values' bucket stands after the
// last.
namespace maskbench {

namespace {

using privacy::OrderResponse;

class OpBoostActive : public BucketsActive {
 public:
  using BucketsActive::BucketsActive;

 protected:
  std::vector<BucketHeader> headers() override {
    std::vector<BucketHeader> out;
    for (const OrderHeader& h : channel_.receive<OrderHeader>(Kind::totals))
      out.push_back({h.value_bins, h.has_missing, 1, 0});
    return out;
  }
};

// Chances below 2^-53 are never drawn: beyond this the farthest pair would have no noise at all.
void check_order_budget(const RunSpec& spec, const PartyData& pp) {
  if (spec.privacy.zero_noise) return;
  const double eps = spec.privacy.eps_pp;
  const double shared = spec.opboost.per_distance ? 0 : eps_a_feature(spec, pp, 2);
  for (const FeatureCuts& cuts : pp.cuts) {
    if (cuts.bins() < 2) continue;
    const double worst = spec.opboost.per_distance ? eps * (cuts.bins() - 1) : shared;
    privacy::check_carried("privacy.eps_pp", eps, eps / worst * privacy::kLeastResponseEps,
                           eps / worst * privacy::kMostResponseEps);
  }
}

class OpBoostPassive : public PassiveSide {
 public:
  explicit OpBoostPassive(const PassiveContext& c)
      : PassiveSide(c),
        key_(derive_key(c.key, "opboost")),
        share_(eps_a_feature(c.spec, c.data, 2)) {
    check_order_budget(c.spec, c.data);
  }

  void start() override {
    std::vector<OrderHeader> headers;
    std::vector<privacy::Charge> charges;  // all on the same record: they add up
    BinnedMatrix noisy = data_.bins;
    for (size_t f = 0; f < data_.cuts.size(); ++f) {
      const FeatureCuts& cuts = data_.cuts[f];
      const double eps = eps_of_step(cuts.bins());
      const OrderResponse response(eps, cuts.bins());
      headers.push_back({cuts.value_bins(), cuts.has_missing, std::exp(-eps / 2)});
      disturb(response, f, noisy);
      eps_distance_ += eps;
      if (cuts.bins() > 1)
        charges.push_back({privacy::Mechanism::response(price_of(response)), {}});
    }
    channel_.send(Kind::totals, {}, std::move(headers),
                  Price::exposed("how many buckets PP's features have and which have missing "
                                 "values is sent in clear"));
    channel_.send(Kind::buckets, {}, std::move(noisy.bins), buckets_price(std::move(charges)));
  }
  PassivePart part() const override { return PassivePart::borrowed; }

  // Its own unit: eps for one step in every feature at once. `eps` of PP has the worst pair.
  std::vector<Metric> metrics() const override {
    return {{"eps_distance", eps_distance_, "a step", -1, "ok", "", {Party::pp}}};
  }

 private:
  double eps_of_step(int buckets) const {
    if (buckets < 2) return 0;
    if (spec_.privacy.zero_noise) return std::numeric_limits<double>::infinity();
    if (spec_.opboost.per_distance) return spec_.privacy.eps_pp;
    return privacy::order_step(share_, buckets);
  }

  // The worst pair. Features that share a budget have the same share, which it does not exceed.
  double price_of(const OrderResponse& response) const {
    if (spec_.privacy.zero_noise || spec_.opboost.per_distance) return response.worst();
    return share_;
  }

  void disturb(const OrderResponse& response, size_t feature, BinnedMatrix& bins) const {
    Draws draws(key_, static_cast<uint32_t>(feature));
    for (size_t row = 0; row < bins.rows; ++row) {
      uint8_t& bucket = bins.bins[row * static_cast<size_t>(bins.features) + feature];
      bucket = static_cast<uint8_t>(response.draw(bucket, draws.uniform()));
    }
  }

  RandomKey key_;
  double share_;  // of eps_pp, for each feature, unless each step of distance has all of it
  double eps_distance_ = 0;
};

}  // namespace

const Method& opboost_method() {
  static const Method method = {
      .id = "opboost",
      .what = "PP's buckets moved to near ones at random, once before training",
      .active = active_side<OpBoostActive>,
      .passive = passive_side<OpBoostPassive>,
      .uses = {"privacy.eps_pp", "privacy.delta_pp", "privacy.reading", "privacy.scope",
               "privacy.composition", "privacy.zero_noise", "privacy.noise_key", "noise.",
               "opboost.", "federboost.buckets"},
      .check_budget = check_order_budget,
      .evidence = {Evidence::buckets},
      .own_bytes = bucket_bytes,
  };
  return method;
}

}  // namespace maskbench
