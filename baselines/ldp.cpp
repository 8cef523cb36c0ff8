#include <cmath>
#include <limits>

#include "baselines/methods.hpp"
#include "baselines/released_gradients.hpp"
#include "harness/base/random.hpp"
#include "harness/privacy/carried.hpp"
#include "harness/privacy/run_budget.hpp"
#include "kernels/cpu/cpu_ops.hpp"

// xgb-ldp releases g + N and h + N; fedxgb-ldp releases g + N alone and counts rows instead of
// hessians. Both once a tree, or afresh for each node (`ldp.refresh: node`).
namespace maskbench {

namespace {

namespace mk = kernels;

// Noise of less than four steps of the grid would be rounded away; with more than the bound here
// the margins' own digits end.
void check_gaussian_budget(const RunSpec& run, size_t rows, bool gradient_only) {
  if (run.privacy.zero_noise) return;
  constexpr double kMostSigma = 1e12;
  const double bound = std::max(1.0, mu_of(run.train));
  const double step = std::ldexp(2 * bound, 1 - kGradientBits);
  RunSpec spec = run;
  const auto sigma = [&](double eps) {
    spec.privacy.eps_ap = eps;
    return ldp_sigma(spec, rows, !gradient_only);
  };
  privacy::check_sigma_carried("privacy.eps_ap", run.privacy.eps_ap, sigma, 4 * step, kMostSigma);
}

template <bool gradient_only>
void check_plan(const RunSpec& spec, const PartyData& pp) {
  check_gaussian_budget(spec, pp.bins.rows, gradient_only);
}

class LdpActive : public ActiveSide {
 public:
  LdpActive(const ActiveContext& c, bool gradient_only)
      : ActiveSide(c),
        gradient_only_(gradient_only),
        each_level_(c.spec.ldp.refresh == Refresh::node),
        noisy_leaves_(c.spec.ldp.leaves == LdpLeaves::noisy),
        key_(derive_key(c.key, "ldp")),
        sigma_(ldp_sigma(c.spec, c.data.bins.rows, !gradient_only)) {
    const privacy::MuKind kind = c.spec.privacy.mu;
    const double mu = mu_of(c.spec.train);
    mu_g_ = mu > 0 ? mu : privacy::mu_of_gradient(kind);
    mu_h_ = mu > 0 ? 0 : privacy::mu_of_hessian(kind);
    check_gaussian_budget(c.spec, c.data.bins.rows, gradient_only);
  }

  void begin_tree(int tree, const Gradients& clean) override {
    ActiveSide::begin_tree(tree, clean);
    if (gradient_only_) {
      counted_ = clean;
      const int32_t one = clean.grid.round(1.0);
      for (GradientPair& row : counted_.rows) row.h = one;
      clean_ = &counted_;
    }
    if (!each_level_) release(tree, 0);
  }

  std::vector<Proposal> proposals(const Level& level) override {
    if (each_level_) release(level.tree, level.depth);
    return ActiveSide::proposals(level);
  }

  // The search of AP's own features and the comparison with PP's offer use clean gradients.
  Price choice_price() override { return clean_choice_price(); }

  const Gradients& leaf_gradients() const override { return noisy_leaves_ ? noisy_ : *clean_; }

  std::vector<Metric> metrics() const override { return {{"noise_sigma", sigma_, ""}}; }

 private:
  void release(int tree, int depth) {
    add_noise(tree, depth);
    send_gradients(tree, noisy_, channel_, price(tree, depth));
  }

  Price price(int tree, int depth) const {
    const double n = static_cast<double>(noisy_.rows.size());
    const privacy::Where where{tree, each_level_ ? depth : -1, 0};
    std::vector<privacy::Charge> charges;
    for (const double mu : {mu_g_, gradient_only_ ? 0 : mu_h_}) {
      if (mu <= 0) continue;
      const double m = sigma_ > 0 ? mu / sigma_ : std::numeric_limits<double>::infinity();
      charges.push_back({privacy::Mechanism::gaussian(m, m * std::sqrt(n)), where});
    }
    Price price = Price::together(std::move(charges));  // g and h of one record in one message
    if (noisy_leaves_) return price;
    return std::move(price).noting(
        {{privacy::Note::Kind::caveat, privacy::View::stated, privacy::kCleanLeavesCaveat}});
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
    // A grid that much coarser has no step that small: the value is 0 on it.
    const auto rounded = [shift](int32_t v) {
      if (shift > kGradientBits + 1) return 0;
      return shift == 0 ? v : (v + (1 << (shift - 1))) >> shift;
    };
    constexpr size_t kChunk = 1 << 13;
    pool_.run((n + kChunk - 1) / kChunk, [&](size_t chunk, int) {
      const size_t begin = chunk * kChunk, count = std::min(kChunk, n - begin);
      std::vector<int32_t> zg(count), zh(count);
      if (scale > 0) {
        key_.visit([&](auto key) {
          mk::StreamIdOf<decltype(key)> id{key, static_cast<uint32_t>(tree),
                                           static_cast<uint32_t>(depth),
                                           static_cast<uint32_t>(chunk), 0u};
          const mk::CpuOps& ops = mk::simd_ops();
          ops.normals(id, mk::Stream::kRow, scale, count, zg.data());
          id.column = 1;
          if (!gradient_only_) ops.normals(id, mk::Stream::kRow, scale, count, zh.data());
        });
      }
      for (size_t j = 0; j < count; ++j) {
        const GradientPair& row = clean_->rows[begin + j];
        noisy_.rows[begin + j] = {rounded(row.g) + zg[j],
                                  gradient_only_ ? one : rounded(row.h) + zh[j]};
      }
    });
  }

  bool gradient_only_, each_level_, noisy_leaves_;
  RandomKey key_;
  double sigma_;
  double mu_g_ = 0, mu_h_ = 0;
  Gradients counted_;  // the clean gradients with h = 1
  Gradients noisy_;
};

template <bool gradient_only>
class LdpActiveOf : public LdpActive {
 public:
  explicit LdpActiveOf(const ActiveContext& c) : LdpActive(c, gradient_only) {}
};

class LdpPassive : public GradientPassive {
 public:
  explicit LdpPassive(const PassiveContext& c) : GradientPassive(c, c.spec.ldp.refresh) {}
};

// Named here, as clang 14 does not make it from within the template below.
const auto kLdpPassive = passive_side<LdpPassive>;

// The paper's appendix: 2n + l values.
double paper_gradient_bytes(const RunSpec&, const NodeShape& node) {
  return 8 * (2 * node.rows + node.candidates);
}

template <bool gradient_only>
Method ldp_method(std::string id, std::string what) {
  return {.id = std::move(id),
          .what = std::move(what),
          .active = active_side<LdpActiveOf<gradient_only>>,
          .passive = kLdpPassive,
          .uses = {"privacy.eps_ap", "privacy.delta_ap", "privacy.reading", "privacy.scope",
                   "privacy.unit", "privacy.composition", "privacy.mu", "privacy.zero_noise",
                   "privacy.noise_key", "noise.", "ldp.", "verify"},
          .check_budget = check_plan<gradient_only>,
          .evidence = {Evidence::gradients},
          .own_bytes = gradient_bytes,
          .paper_bytes = paper_gradient_bytes};
}

}  // namespace

const Method& xgb_ldp_method() {
  static const Method method =
      ldp_method<false>("xgb-ldp", "Gaussian noise on g and h, once a tree");
  return method;
}

const Method& fedxgb_ldp_method() {
  static const Method method =
      ldp_method<true>("fedxgb-ldp", "Gaussian noise on g only, rows counted instead of h");
  return method;
}

}  // namespace maskbench
