#include <cmath>
#include <optional>

#include "baselines/methods.hpp"
#include "baselines/paillier/evaluator.hpp"
#include "baselines/paillier/key_owner.hpp"
#include "harness/trees/level_histograms.hpp"

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

int most_trees(const RunSpec& spec) {
  return spec.paillier.max_trees > 0 ? std::min(spec.train.rounds, spec.paillier.max_trees)
                                     : spec.train.rounds;
}

class PaillierActive : public ActiveSide {
 public:
  explicit PaillierActive(const ActiveContext& c)
      : ActiveSide(c, c.score_params(), c.pool),
        key_(paillier::SecretKey::generate(static_cast<size_t>(c.spec.paillier.key_bits))),
        owner_(key_, c.pool),
        layout_(owner_.public_key(), c.data.bins.rows) {}

  int trees() const override { return most_trees(spec_); }

  void start() override {
    const mpz_class& n = owner_.public_key().n();
    std::vector<Limb> words(mpz_size(n.get_mpz_t()));
    mpz_export(words.data(), nullptr, -1, sizeof(Limb), 0, 0, n.get_mpz_t());
    channel_.send(Kind::totals, {}, std::move(words), Price::not_personal("AP's public key"));
    read_shape();
  }

  void begin_tree(int tree, const Gradients& clean) override {
    ActiveSide::begin_tree(tree, clean);
    notes_.write<GradientPair>(Notebook::Topic::gradients, {tree}, clean.rows);
    channel_.send(Kind::ciphertexts, {tree},
                  owner_.encrypt(layout_.encode(clean.rows)).take_words(),
                  Price::covered({{privacy::Mechanism::encrypted(), {}}}));
  }

  std::vector<Proposal> proposals(const Level& level) override {
    const std::vector<size_t> built = built_places(level);
    const size_t bins = shape_->offsets.back();
    previous_.swap(histograms_);
    histograms_.assign(level.nodes.size() * bins, {});
    for (size_t place : built) {
      const CipherMessage message(owner_.public_key(), channel_.receive<Limb>(Kind::ciphertexts));
      const std::vector<GradientSum> sums = layout_.decode(owner_.decrypt(message), bins);
      const Tag tag{level.tree, level.depth, level.nodes[place].node};
      notes_.write<GradientSum>(Notebook::Topic::sums, tag, sums);
      take_node(level, place, sums);
    }
    std::vector<Proposal> out;
    for (const BestSplit& best :
         best_in_histograms(pool_, *shape_, histograms_, clean_->grid, params_)) {
      out.push_back({best.score, encode(best.candidate)});
    }
    return out;
  }
  Price choice_price() override { return clean_choice_price(); }

  std::vector<Metric> metrics() const override {
    const paillier::PublicKey& key = owner_.public_key();
    return {{"key_bits", static_cast<double>(key.bits()), "bits", -1, "ok", key.warning()}};
  }

 private:
  void read_shape() {
    std::vector<FeatureCuts> cuts;
    for (const BinsHeader& header : channel_.receive<BinsHeader>(Kind::totals)) {
      if (header.value_bins < 1 || header.value_bins > kMaxBins)
        throw ProtocolError("PP has a feature without bins, or with too many");
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
  std::optional<PartyData> shape_;  // PP's features without their thresholds and rows
  std::vector<GradientSum> histograms_, previous_;
};

class PaillierPassive : public PassiveSide {
 public:
  using PassiveSide::PassiveSide;

  int trees() const override { return most_trees(spec_); }

  void start() override {
    const auto words = channel_.receive<Limb>(Kind::totals);
    mpz_class n;
    mpz_import(n.get_mpz_t(), words.size(), -1, sizeof(Limb), 0, 0, words.data());
    evaluator_.emplace(paillier::PublicKey(n), pool_);
    layout_.emplace(evaluator_->public_key(), data_.bins.rows);
    std::vector<BinsHeader> headers;
    for (const FeatureCuts& cuts : data_.cuts)
      headers.push_back({cuts.value_bins(), cuts.has_missing});
    channel_.send(Kind::totals, {}, std::move(headers),
                  Price::exposed("how many bins PP's features have and which have missing values "
                                 "is sent in clear"));
  }

  void begin_tree(int) override {
    const CipherMessage message(evaluator_->public_key(),
                                channel_.receive<Limb>(Kind::ciphertexts));
    gradients_.emplace(evaluator_->receive(message));
  }

  void offer(const Level& level) override {
    for (size_t place : built_places(level)) {
      const auto sums = evaluator_->histogram(data_.matrix(), data_.offsets,
                                              level.nodes[place].rows, *gradients_);
      CipherMessage message = evaluator_->send(evaluator_->pack(sums, *layout_));
      const Tag tag{level.tree, level.depth, level.nodes[place].node};
      channel_.send(Kind::ciphertexts, tag, std::move(message).take_words(),
                    Price::exposed("AP decrypts the sums of PP's bins", privacy::View::stated));
    }
  }
  Candidate candidate(size_t, int64_t id) const override { return decode(id); }

 private:
  std::optional<paillier::Evaluator> evaluator_;
  std::optional<paillier::Layout> layout_;
  std::optional<paillier::Ciphertexts> gradients_;
};

double ciphertext_bytes(const RunSpec& spec) {
  return 2.0 * spec.paillier.key_bits / 8;
}

// Ciphertexts of a node's packed sums.
double packs(const RunSpec& spec, const NodeShape& node) {
  const paillier::Layout layout(static_cast<size_t>(spec.paillier.key_bits),
                                static_cast<size_t>(node.rows));
  return static_cast<double>(layout.packed_count(static_cast<size_t>(node.bins)));
}

double own_bytes(const RunSpec& spec, const NodeShape& node) {
  return ciphertext_bytes(spec) * (node.rows + packs(spec, node));
}

// The paper's appendix: 2n + 2l ciphertexts.
double paper_ciphertext_bytes(const RunSpec& spec, const NodeShape& node) {
  return ciphertext_bytes(spec) * (2 * node.rows + 2 * node.candidates);
}

// Encryption of each row, an addition for each row, feature and level, and a decryption for each
// ciphertext of a node's sums; 2048-bit costs.
double paillier_seconds(const RunSpec& spec, const NodeShape& node, double) {
  const double key = std::pow(spec.paillier.key_bits / 2048.0, 2.5);
  const double additions = spec.train.max_depth * node.features;
  const double decryptions = std::exp2(spec.train.max_depth) * packs(spec, node);
  return key * (node.rows * (4e-5 + 1.1e-6 * additions) + 1e-3 * decryptions);
}

}  // namespace

const Method& paillier_method() {
  static const Method method = {
      .id = "paillier",
      .what = "SecureBoost: histograms of encrypted g and h",
      .active = active_side<PaillierActive>,
      .passive = passive_side<PaillierPassive>,
      .uses = {"paillier."},
      .os_random = true,
      .own_bytes = own_bytes,
      .paper_bytes = paper_ciphertext_bytes,
      .tree_seconds = paillier_seconds,
      .max_trees = most_trees,
  };
  return method;
}

}  // namespace maskbench
