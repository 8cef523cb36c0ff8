#include "attacks/noisy_features.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "attacks/view.hpp"

namespace maskbench {

namespace {

using Matrix = Eigen::MatrixXd;

std::vector<uint32_t> all_rows(size_t rows) {
  std::vector<uint32_t> out(rows);
  for (size_t j = 0; j < rows; ++j) out[j] = static_cast<uint32_t>(j);
  return out;
}

const Message* find(const AttackInput& input, Kind kind, Party from) {
  for (const Message& m : input.messages) {
    if (m.kind == kind && m.from == from) return &m;
  }
  return nullptr;
}

using Table = std::vector<std::vector<double>>;

// P(bucket k | response z) in the row of z, from P(response z | bucket k) in the row of k.
Table posteriors_of(const Table& chances, const std::vector<double>& prior) {
  Table out(prior.size(), std::vector<double>(prior.size()));
  for (size_t z = 0; z < prior.size(); ++z) {
    double sum = 0;
    for (size_t k = 0; k < prior.size(); ++k) sum += out[z][k] = prior[k] * chances[k][z];
    for (double& p : out[z]) p /= sum;
  }
  return out;
}

// Responses that fall off with the distance: the frequencies of the buckets by expectation and
// maximisation.
Table order_posteriors(const OrderHeader& header, const std::vector<double>& responses) {
  const size_t q = responses.size();
  Table chances(q, std::vector<double>(q));
  for (size_t k = 0; k < q; ++k) {
    double sum = 0;
    for (size_t z = 0; z < q; ++z)
      sum += chances[k][z] = std::pow(header.decay, std::abs(double(k) - double(z)));
    for (double& p : chances[k]) p /= sum;
  }
  std::vector<double> prior(q, 1.0 / static_cast<double>(q));
  double total = 0;
  for (double count : responses) total += count;
  for (int step = 0; step < 30; ++step) {
    const Table posterior = posteriors_of(chances, prior);
    std::vector<double> next(q, 0.0);
    for (size_t z = 0; z < q; ++z)
      for (size_t k = 0; k < q; ++k) next[k] += responses[z] / total * posterior[z][k];
    prior = std::move(next);
  }
  return posteriors_of(chances, prior);
}

// posterior[z][k] = P(bucket k | response z).
std::vector<std::vector<double>> bucket_posteriors(const BucketHeader& header,
                                                   const std::vector<double>& responses) {
  const size_t q = responses.size();
  double total = 0;
  for (double count : responses) total += count;
  std::vector<double> prior(q);
  for (size_t k = 0; k < q; ++k) {
    const double debiased = (responses[k] / total - header.other) / (header.keep - header.other);
    prior[k] = std::max(debiased, 1e-3 / static_cast<double>(q));
  }
  std::vector<std::vector<double>> out(q, std::vector<double>(q));
  for (size_t z = 0; z < q; ++z) {
    double sum = 0;
    for (size_t k = 0; k < q; ++k)
      sum += out[z][k] = prior[k] * (k == z ? header.keep : header.other);
    for (double& p : out[z]) p /= sum;
  }
  return out;
}

}  // namespace

namespace {

template <class Header>
BitsGuesses from_buckets(const AttackInput& input, const std::vector<Header>& headers) {
  const auto& noisy = find(input, Kind::buckets, Party::pp)->as<uint8_t>();
  std::vector<FeatureCuts> cuts;
  for (const Header& h : headers)
    cuts.push_back({std::vector<float>(static_cast<size_t>(h.value_bins - 1)), h.has_missing != 0});
  const std::vector<Candidate> candidates = candidates_of(cuts);
  std::vector<std::vector<std::vector<double>>> posteriors;
  for (size_t f = 0; f < headers.size(); ++f) {
    std::vector<double> responses(static_cast<size_t>(cuts[f].bins()), 0.0);
    for (size_t row = 0; row < input.rows; ++row) ++responses[noisy[row * headers.size() + f]];
    if constexpr (std::is_same_v<Header, OrderHeader>) {
      posteriors.push_back(order_posteriors(headers[f], responses));
    } else {
      posteriors.push_back(bucket_posteriors(headers[f], responses));
    }
  }
  BitsGuesses out;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const size_t f = candidates[i].feature;
    std::vector<double> active(posteriors[f].size(), 0.0);
    for (size_t z = 0; z < active.size(); ++z) {
      for (size_t k = 0; k < active.size(); ++k) {
        if (goes_left(candidates[i], cuts[f].missing_bin(), static_cast<uint8_t>(k)))
          active[z] += posteriors[f][z][k];
      }
    }
    BitsGuess guess{static_cast<int64_t>(i), 0, all_rows(input.rows), {}};
    for (size_t row = 0; row < input.rows; ++row) {
      const double p = active[noisy[row * headers.size() + f]];
      guess.probability.push_back(static_cast<float>(p));
      guess.prior += p / static_cast<double>(input.rows);
    }
    out.push_back(std::move(guess));
  }
  return out;
}

}  // namespace

BitsGuesses from_buckets(const AttackInput& input) {
  const Message& headers = *find(input, Kind::totals, Party::pp);
  if (const auto* ordered = dynamic_cast<const HostValues<OrderHeader>*>(headers.payload.get()))
    return from_buckets(input, ordered->values);
  return from_buckets(input, headers.as<BucketHeader>());
}

BitsGuesses from_projections(const AttackInput& input) {
  const auto n = static_cast<Eigen::Index>(input.rows);
  const auto& basis = find(input, Kind::matrices, Party::ap)->as<double>();
  const Matrix U =
      Eigen::Map<const Matrix>(basis.data(), n, static_cast<Eigen::Index>(basis.size()) / n);
  BitsGuesses out;
  for (const Message& m : input.messages) {
    // The root of the first tree: every candidate over all rows.
    if (m.kind != Kind::matrices || m.from != Party::pp || m.tag.tree != 0 || m.tag.node != 0)
      continue;
    const auto& values = m.as<double>();
    const Matrix V =
        Eigen::Map<const Matrix>(values.data(), n, static_cast<Eigen::Index>(values.size()) / n);
    const Matrix bits = (V.array() > 0.5).cast<double>();
    const Matrix better = V + U * (U.transpose() * bits);
    for (Eigen::Index i = 0; i < V.cols(); ++i) {
      BitsGuess guess{m.tag.candidate + i, 0.5, all_rows(input.rows), {}};
      for (Eigen::Index j = 0; j < n; ++j)
        guess.probability.push_back(static_cast<float>(std::clamp(better(j, i), 0.0, 1.0)));
      out.push_back(std::move(guess));
    }
  }
  return out;
}

}  // namespace maskbench
