#include <optional>

#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"

namespace maskbench {

namespace {

// AP trains alone on its own features and PP's noisy buckets. Its labels stay with it; the splits
// it borrows from PP are told to PP, which must apply them when the model is used.
class FederBoostActive : public ActiveSide {
 public:
  explicit FederBoostActive(const MethodContext& c)
      : ActiveSide(c.ap, c.score_params(), c.compute()), features_(c.ap, c.spec.federboost.debias) {
    c.accountant.charge(
        privacy::Party::active,
        privacy::Mechanism::exposed(privacy::View::wire, "which of PP's splits AP chose"), {});
  }

  bool is_solo() const override { return true; }
  const PartyData& searched() const override { return features_.all(); }

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    ActiveSide::begin_tree(tree, clean, wire);
    if (search_) return;
    features_.receive(data_, wire);
    search_.emplace(features_, params_, compute_);
  }

  std::vector<BestSplit> own_splits(const Level& level) override {
    return search_->best_splits(level, *clean_);
  }

 private:
  BorrowedFeatures features_;
  std::optional<BorrowedSearch> search_;
};

}  // namespace

Method make_federboost(const MethodContext& c) {
  return {std::make_unique<FederBoostActive>(c), std::make_unique<BucketsPassive>(c)};
}

}  // namespace maskbench
