#include <limits>
#include <optional>

#include "baselines/methods.hpp"
#include "baselines/paillier/evaluator.hpp"
#include "baselines/paillier/key_owner.hpp"
#include "harness/core/level_histograms.hpp"
#include "harness/core/messages.hpp"

// SecureBoost: AP sends its encrypted gradients once a tree, PP adds them up in its bins without
// seeing them, AP decrypts the sums. Of two siblings only the smaller one's sums travel; AP gets
// the other's as parent minus sibling.
namespace maskbench {

namespace {

using paillier::CipherMessage;
using paillier::Limb;

std::vector<size_t> built_places(const Level& level) {
  std::vector<size_t> places;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    if (is_built(level, place)) places.push_back(place);
  }
  return places;
}

class PaillierActive : public ActiveSide {
 public:
  explicit PaillierActive(const MethodContext& c)
      : ActiveSide(c.ap, c.score_params(), c.pool),
        key_(paillier::SecretKey::generate(static_cast<size_t>(c.spec.paillier.key_bits))),
        owner_(key_, c.pool),
        layout_(owner_.public_key(), c.ap.bins.rows),
        max_trees_(c.spec.paillier.max_trees) {
    c.accountant.charge(privacy::Party::active, privacy::Mechanism::encrypted(), {});
  }

  int max_trees() const override {
    return max_trees_ > 0 ? max_trees_ : std::numeric_limits<int>::max();
  }

  void start(Wire& wire) override {
    const mpz_class& n = owner_.public_key().n();
    std::vector<Limb> words(mpz_size(n.get_mpz_t()));
    mpz_export(words.data(), nullptr, -1, sizeof(Limb), 0, 0, n.get_mpz_t());
    wire.send(Party::ap, Kind::totals, {}, std::move(words));
  }

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    ActiveSide::begin_tree(tree, clean, wire);
    if (!shape_) read_shape(wire);
    wire.note<GradientPair>(Party::ap, Kind::gradients, {tree}, clean.rows);
    wire.send(Party::ap, Kind::ciphertexts, {tree},
              owner_.encrypt(layout_.encode(clean.rows)).take_words());
  }

  std::vector<Proposal> proposals(const Level& level, Wire& wire) override {
    const std::vector<size_t> built = built_places(level);
    const size_t bins = shape_->offsets.back();
    previous_.swap(histograms_);
    histograms_.assign(level.nodes.size() * bins, {});
    for (size_t place : built) {
      const CipherMessage message(owner_.public_key(),
                                  wire.receive<Limb>(Party::ap, Kind::ciphertexts));
      const std::vector<GradientSum> sums = layout_.decode(owner_.decrypt(message), bins);
      const Tag tag{level.tree, level.depth, level.nodes[place].node};
      wire.note<GradientSum>(Party::ap, Kind::totals, tag, sums);
      take_node(level, place, sums);
    }
    std::vector<Proposal> out;
    for (const BestSplit& best :
         best_in_histograms(*scorer_, *shape_, histograms_, clean_->grid, params_)) {
      out.push_back({best.score, encode(best.candidate)});
    }
    return out;
  }

  std::vector<Metric> metrics() const override {
    const paillier::PublicKey& key = owner_.public_key();
    return {{"key_bits", static_cast<double>(key.bits()), "bits", -1, "ok", key.warning()}};
  }

 private:
  void read_shape(Wire& wire) {
    std::vector<FeatureCuts> cuts;
    for (const BinsHeader& header : wire.receive<BinsHeader>(Party::ap, Kind::totals)) {
      cuts.push_back({std::vector<float>(static_cast<size_t>(header.value_bins - 1)),
                      header.has_missing != 0});
    }
    shape_.emplace(std::vector<std::string>(cuts.size()), cuts, BinnedMatrix{});
  }

  // The node's sums, and its sibling's by subtraction.
  void take_node(const Level& level, size_t place, std::span<const GradientSum> sums) {
    const size_t bins = sums.size();
    std::copy(sums.begin(), sums.end(),
              histograms_.begin() + static_cast<std::ptrdiff_t>(place * bins));
    if (level.depth == 0) return;
    const size_t parent = static_cast<size_t>(level.nodes[place].parent);
    for (size_t b = 0; b < bins; ++b) {
      histograms_[(place ^ 1) * bins + b] = previous_[parent * bins + b] - sums[b];
    }
  }

  paillier::SecretKey key_;
  paillier::KeyOwner owner_;
  paillier::Layout layout_;
  int max_trees_;
  std::unique_ptr<kernels::Backend> scorer_ = compute_.backend();
  std::optional<PartyData> shape_;  // PP's features without their thresholds and rows
  std::vector<GradientSum> histograms_, previous_;
};

class PaillierPassive : public PassiveSide {
 public:
  explicit PaillierPassive(const MethodContext& c) : PassiveSide(c.pp, c.pool) {
    c.accountant.charge(
        privacy::Party::passive,
        privacy::Mechanism::exposed(privacy::View::stated, "AP decrypts the sums of PP's bins"),
        {});
  }

  void start(Wire& wire) override {
    const auto words = wire.receive<Limb>(Party::pp, Kind::totals);
    mpz_class n;
    mpz_import(n.get_mpz_t(), words.size(), -1, sizeof(Limb), 0, 0, words.data());
    evaluator_.emplace(paillier::PublicKey(n), pool_);
    layout_.emplace(evaluator_->public_key(), data_.bins.rows);
    std::vector<BinsHeader> headers;
    for (const FeatureCuts& cuts : data_.cuts)
      headers.push_back({cuts.value_bins(), cuts.has_missing});
    wire.send(Party::pp, Kind::totals, {}, std::move(headers));
  }

  void begin_tree(int, Wire& wire) override {
    const CipherMessage message(evaluator_->public_key(),
                                wire.receive<Limb>(Party::pp, Kind::ciphertexts));
    gradients_.emplace(evaluator_->receive(message));
  }

  bool turn(const Level& level, Wire& wire) override {
    for (size_t place : built_places(level)) {
      const auto sums = evaluator_->histogram(data_.view(), level.nodes[place].rows, *gradients_);
      CipherMessage message = evaluator_->send(evaluator_->pack(sums, *layout_));
      const Tag tag{level.tree, level.depth, level.nodes[place].node};
      wire.send(Party::pp, Kind::ciphertexts, tag, std::move(message).take_words());
    }
    return true;
  }

 protected:
  Candidate candidate(size_t, int64_t id) const override { return decode(id); }

 private:
  std::optional<paillier::Evaluator> evaluator_;
  std::optional<paillier::Layout> layout_;
  std::optional<paillier::Ciphertexts> gradients_;
};

}  // namespace

Method make_paillier(const MethodContext& c) {
  return {std::make_unique<PaillierActive>(c), std::make_unique<PaillierPassive>(c)};
}

}  // namespace maskbench
