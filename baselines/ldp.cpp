#include <cmath>
#include <limits>

#include "baselines/methods.hpp"
#include "harness/core/budget.hpp"
#include "harness/core/histogram_passive.hpp"
#include "harness/core/random.hpp"
#include "harness/privacy/calibration.hpp"
#include "kernels/cpu_ops.hpp"

// xgb-ldp releases g + N and h + N; fedxgb-ldp releases g + N alone and counts rows instead of
// hessians. Both once a tree, or afresh for each node (`ldp.refresh: node`).
namespace maskbench {

namespace {

namespace mk = kernels;

double noise_sigma(const MethodContext& c) {
  const RunSpec& spec = c.spec;
  const bool each_level = spec.ldp.refresh == "node";
  privacy::LdpBudget budget;
  budget.eps = spec.privacy.eps_ap;
  budget.delta = spec.privacy.delta_ap;
  budget.n = static_cast<int64_t>(c.ap.bins.rows);
  budget.reading = reading_of(spec.privacy);
  budget.shape = {spec.train.rounds, spec.train.max_depth,
                  spec.train.rounds * (each_level ? spec.train.max_depth : 1)};
  budget.gaussian = privacy::parse_gaussian(spec.ldp.gaussian);
  budget.mu = mu_of(spec.train);
  budget.zero_noise = spec.privacy.zero_noise;
  return privacy::gaussian_sigma(budget);
}

class LdpActive : public ActiveSide {
 public:
  LdpActive(const MethodContext& c, bool gradient_only)
      : ActiveSide(c.ap, c.score_params(), c.compute()),
        gradient_only_(gradient_only),
        each_level_(c.spec.ldp.refresh == "node"),
        noisy_leaves_(c.spec.ldp.leaves == "noisy"),
        key_(derive_key(c.noise_key, "ldp")),
        sigma_(noise_sigma(c)),
        accountant_(c.accountant) {
    const privacy::MuKind kind = privacy::parse_mu(c.spec.privacy.mu);
    mu_g_ = mu_of(c.spec.train) > 0 ? mu_of(c.spec.train) : privacy::mu_of_gradient(kind);
    mu_h_ = privacy::mu_of_hessian(kind);
    if (!noisy_leaves_) {
      accountant_.charge(privacy::Party::active,
                         privacy::Mechanism::caveat(privacy::kCleanLeavesCaveat), {}, 0);
    }
  }

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    ActiveSide::begin_tree(tree, clean, wire);
    if (gradient_only_) {
      counted_ = clean;
      const int32_t one = clean.grid.round(1.0);
      for (GradientPair& row : counted_.rows) row.h = one;
      clean_ = &counted_;
    }
    if (!each_level_) release(tree, 0, wire);
  }

  void turn(const Level& level, Wire& wire) override {
    if (each_level_) release(level.tree, level.depth, wire);
  }

  const Gradients& leaf_gradients() const override { return noisy_leaves_ ? noisy_ : *clean_; }

  std::vector<Metric> metrics() const override { return {{"noise_sigma", sigma_, ""}}; }

 private:
  void release(int tree, int depth, Wire& wire) {
    add_noise(tree, depth);
    send_gradients(tree, noisy_, wire);
    const double n = static_cast<double>(noisy_.rows.size());
    const privacy::Where where{tree, each_level_ ? depth : -1, 0};
    const auto charge = [&](double mu) {
      const double m = sigma_ > 0 ? mu / sigma_ : std::numeric_limits<double>::infinity();
      accountant_.charge(privacy::Party::active, privacy::Mechanism::gaussian(m, m * std::sqrt(n)),
                         where);
    };
    charge(mu_g_);
    if (!gradient_only_ && mu_h_ > 0) charge(mu_h_);
  }

  // The noise is drawn in steps of the grid, wide enough for 7 sigma: no normal is larger.
  void add_noise(int tree, int depth) {
    const double bound = std::ldexp(1.0, clean_->grid.exponent + kGradientBits);
    noisy_.grid = FixedPoint::for_bound(sigma_ > 0 ? bound + 7 * sigma_ : bound);
    const int shift = noisy_.grid.exponent - clean_->grid.exponent;
    const auto scale = static_cast<float>(sigma_ / noisy_.grid.step());
    const size_t n = clean_->rows.size();
    noisy_.rows.resize(n);
    const int32_t one = noisy_.grid.round(1.0);
    const auto rounded = [shift](int32_t v) {
      return shift == 0 ? v : (v + (1 << (shift - 1))) >> shift;
    };
    constexpr size_t kChunk = 1 << 13;
    pool_.run((n + kChunk - 1) / kChunk, [&](size_t chunk, int) {
      const size_t begin = chunk * kChunk, count = std::min(kChunk, n - begin);
      std::vector<int32_t> zg(count), zh(count);
      mk::StreamId id{key_, static_cast<uint32_t>(tree), static_cast<uint32_t>(depth),
                      static_cast<uint32_t>(chunk), 0};
      if (scale > 0) {
        mk::simd_ops().normals(id, mk::Stream::kRow, scale, count, zg.data());
        id.column = 1;
        if (!gradient_only_) mk::simd_ops().normals(id, mk::Stream::kRow, scale, count, zh.data());
      }
      for (size_t j = 0; j < count; ++j) {
        const GradientPair& row = clean_->rows[begin + j];
        noisy_.rows[begin + j] = {rounded(row.g) + zg[j],
                                  gradient_only_ ? one : rounded(row.h) + zh[j]};
      }
    });
  }

  bool gradient_only_, each_level_, noisy_leaves_;
  PhiloxKey key_;
  double sigma_;
  double mu_g_ = 0, mu_h_ = 0;
  privacy::PrivacyAccountant& accountant_;
  Gradients counted_;  // the clean gradients with h = 1
  Gradients noisy_;
};

Method make_ldp(const MethodContext& c, bool gradient_only) {
  return {std::make_unique<LdpActive>(c, gradient_only),
          std::make_unique<HistogramPassive>(c.pp, c.score_params(), c.compute(),
                                             c.spec.ldp.refresh == "node")};
}

}  // namespace

Method make_xgb_ldp(const MethodContext& c) {
  return make_ldp(c, false);
}
Method make_fedxgb_ldp(const MethodContext& c) {
  return make_ldp(c, true);
}

}  // namespace maskbench
