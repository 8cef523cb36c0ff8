#include "baselines/noisy_buckets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "harness/base/random.hpp"
#include "harness/privacy/carried.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/privacy/spend.hpp"

namespace maskbench {

namespace {

privacy::BucketResponse response(double eps, int buckets, bool zero_noise) {
  if (zero_noise || buckets < 2) return {1, 0, 0};
  return privacy::bucket_rr(eps, buckets);
}

}  // namespace

Price buckets_price(std::vector<privacy::Charge> charges) {
  if (charges.empty())
    return Price::not_personal("every feature of PP has one bucket: all rows are alike");
  return Price::together(std::move(charges))
      .given("covers PP's features given public cuts: the cuts are quantiles of PP's data");
}

void respond(const privacy::BucketResponse& rr, int buckets, size_t feature, Draws draws,
             BinnedMatrix& bins) {
  for (size_t row = 0; row < bins.rows && rr.keep < 1; ++row) {
    if (draws.uniform() < rr.keep) continue;
    uint8_t& bucket = bins.bins[row * static_cast<size_t>(bins.features) + feature];
    const uint32_t jump = 1 + draws.below(static_cast<uint32_t>(buckets - 1));  // any but itself
    bucket = static_cast<uint8_t>((bucket + jump) % static_cast<uint32_t>(buckets));
  }
}

double eps_a_feature(const RunSpec& spec, const PartyData& data, int loss_buckets) {
  const PrivacySpec& p = spec.privacy;
  std::vector<int> buckets;
  for (const FeatureCuts& cuts : data.cuts)
    if (cuts.bins() > 1) buckets.push_back(loss_buckets > 0 ? loss_buckets : cuts.bins());
  if (p.scope != privacy::Scope::training)
    return p.eps_pp / static_cast<double>(std::max<size_t>(buckets.size(), 1));
  return privacy::spend_on_responses(p.as_read(), p.eps_pp, delta_pp(p, data.bins.rows), buckets);
}

namespace {

double eps_of_buckets(const RunSpec& spec, const PartyData& data) {
  return spec.federboost.per_feature ? spec.privacy.eps_pp : eps_a_feature(spec, data);
}

// AP divides sums of up to n 2^kGradientBits by keep - other, about eps/q, and holds 62 bits.
void check_bucket_budget(const RunSpec& spec, const PartyData& data, double eps) {
  int buckets = 2;
  for (const FeatureCuts& cuts : data.cuts) buckets = std::max(buckets, cuts.bins());
  const double largest = std::ldexp(static_cast<double>(data.bins.rows), kGradientBits + 2);
  const double least = std::max(privacy::kLeastResponseEps, std::ldexp(largest * buckets, -62));
  const double parts = spec.privacy.eps_pp / eps;
  privacy::check_carried("privacy.eps_pp", spec.privacy.eps_pp, parts * least,
                         parts * privacy::kMostResponseEps);
}

}  // namespace

void check_bucket_budget(const RunSpec& spec, const PartyData& data) {
  if (!spec.privacy.zero_noise) check_bucket_budget(spec, data, eps_of_buckets(spec, data));
}

BucketsPassive::BucketsPassive(const PassiveContext& c)
    : PassiveSide(c),
      eps_(eps_of_buckets(c.spec, c.data)),
      zero_noise_(c.spec.privacy.zero_noise),
      key_(derive_key(c.key, "buckets")) {
  if (!zero_noise_) check_bucket_budget(c.spec, c.data, eps_);
}

void BucketsPassive::start() {
  std::vector<BucketHeader> headers;
  std::vector<privacy::Charge> charges;  // all on the same record: they add up
  BinnedMatrix noisy = data_.bins;
  const size_t features = data_.cuts.size();
  for (size_t f = 0; f < features; ++f) {
    const int buckets = data_.cuts[f].bins();
    const privacy::BucketResponse rr = response(eps_, buckets, zero_noise_);
    headers.push_back({data_.cuts[f].value_bins(), data_.cuts[f].has_missing, rr.keep, rr.other});
    respond(rr, buckets, f, Draws(key_, static_cast<uint32_t>(f)), noisy);
    const double eps = zero_noise_ ? std::numeric_limits<double>::infinity() : eps_;
    if (buckets > 1) charges.push_back({privacy::Mechanism::response(eps, buckets), {}});
  }
  channel_.send(Kind::totals, {}, std::move(headers),
                Price::exposed("how many buckets PP's features have and which have missing values "
                               "is sent in clear"));
  channel_.send(Kind::buckets, {}, std::move(noisy.bins), buckets_price(std::move(charges)));
}

double bucket_bytes(const RunSpec&, const NodeShape& node) {
  return node.rows * node.features;
}

void BorrowedFeatures::receive(const PartyData& own, std::span<const BucketHeader> headers,
                               Channel& channel) {
  const auto noisy = channel.receive<uint8_t>(Kind::buckets);
  expect_count(Kind::buckets, noisy.size(), own.bins.rows * headers.size());
  std::vector<std::string> names = own.names;
  std::vector<FeatureCuts> cuts = own.cuts;
  if (debias_) responses_.assign(own_features_, {});
  for (size_t f = 0; f < headers.size(); ++f) {
    if (headers[f].value_bins < 1 || headers[f].value_bins > kMaxBins)
      throw ProtocolError("PP has a feature without buckets, or with too many");
    names.push_back(fmt::format("PP's feature {}", f));
    // AP knows the buckets' number and order, not their thresholds.
    cuts.push_back({std::vector<float>(static_cast<size_t>(headers[f].value_bins - 1)),
                    headers[f].has_missing != 0});
    if (debias_) responses_.push_back({headers[f].keep, headers[f].other});
  }
  BinnedMatrix bins{own.bins.rows, static_cast<int>(cuts.size()), {}};
  bins.bins.reserve(bins.rows * cuts.size());
  for (size_t row = 0; row < bins.rows; ++row) {
    const auto mine = own.bins.bins.begin() + static_cast<std::ptrdiff_t>(row * own_features_);
    const auto theirs = noisy.begin() + static_cast<std::ptrdiff_t>(row * headers.size());
    bins.bins.insert(bins.bins.end(), mine, mine + static_cast<std::ptrdiff_t>(own_features_));
    for (size_t f = 0; f < headers.size(); ++f) {
      if (theirs[static_cast<std::ptrdiff_t>(f)] >= cuts[own_features_ + f].bins())
        throw ProtocolError("PP sent a bucket that its feature does not have");
    }
    bins.bins.insert(bins.bins.end(), theirs, theirs + static_cast<std::ptrdiff_t>(headers.size()));
  }
  all_ = PartyData(std::move(names), std::move(cuts), std::move(bins));
}

}  // namespace maskbench
