#include "harness/masked/probe.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/exchange/replay.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/masked/passive.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/privacy/theorem1.hpp"

namespace maskbench {

namespace {

constexpr size_t kNoBest = static_cast<size_t>(-1);

// PP's notes by the level they were written at.
class Notes {
 public:
  explicit Notes(const Notebook& notebook) {
    for (const Notebook::Entry& entry : notebook.entries())
      entries_[{entry.topic, entry.tag.tree, entry.tag.depth}] = &entry;
  }
  template <class T>
  const std::vector<T>& at(Notebook::Topic topic, const Level& level) const {
    return entries_.at({topic, level.tree, level.depth})->template as<T>();
  }

 private:
  std::map<std::tuple<Notebook::Topic, int, int>, const Notebook::Entry*> entries_;
};

// The candidates of a level with their sums and scores in clear.
struct ClearLevel {
  CandidatePlan plan;
  std::vector<GradientSum> left;   // of each candidate
  std::vector<GradientSum> total;  // of each node
  std::vector<double> score;       // of each candidate
  std::vector<size_t> best;        // of each node; kNoBest: nothing is worth a split

  size_t find(size_t place, int64_t id) const {
    for (size_t i = 0; i < plan.headers.size(); ++i) {
      if (plan.headers[i].place == place && plan.headers[i].id == id) return i;
    }
    return kNoBest;
  }
};

class Probe {
 public:
  explicit Probe(const ProbeInput& input)
      : in_(input),
        params_{input.spec.train.lambda, input.spec.train.gamma, input.spec.train.min_child_weight},
        calibration_(
            masked_calibration(input.spec, input.pp.bins.rows, input.pp.candidates.size())),
        notes_(input.pp_notes),
        counter_(input.pp, input.spec.masked.orient == Orient::smaller, input.pool),
        histograms_(input.pp, input.pool) {}

  std::vector<Metric> run() {
    const TrainSpec& train = in_.spec.train;
    std::vector<float> margins = initial_margins(train, in_.labels, in_.seed);
    Replay replay(in_.model, in_.ap, in_.pp, in_.pool);
    for (size_t tree = 0; tree < in_.model.trees.size(); ++tree) {
      compute_gradients(train, in_.labels, margins, in_.pool, clean_);
      replay.tree(static_cast<int>(tree), train.max_depth,
                  [&](const Level& level) { look_at(level); });
      for (const LeafRows& leaf : replay.leaves()) {
        const float weight = in_.model.trees[tree].nodes[static_cast<size_t>(leaf.node)].weight;
        for (uint32_t row : leaf.rows) margins[row] += weight;
      }
    }
    return metrics();
  }

 private:
  ClearLevel clear(const Level& level) {
    ClearLevel out;
    out.plan = counter_.plan(level);
    histograms_.update(level, clean_.rows);
    out.total.resize(level.nodes.size());
    out.best.assign(level.nodes.size(), kNoBest);
    std::vector<double> best_score(level.nodes.size(), kMinGain);
    size_t next = 0;
    for (size_t place = 0; place < level.nodes.size(); ++place) {
      for (uint32_t b = 0; b < in_.pp.offsets[1]; ++b) out.total[place] += histograms_[place][b];
      visit_left_sums(in_.pp.layout, histograms_[place], [&](uint32_t id, GradientSum left) {
        if (!out.plan.is_at(next, place, id)) return;
        out.left.push_back(left);
        out.score.push_back(score(left, out.total[place]));
        if (out.score.back() > best_score[place]) {
          best_score[place] = out.score.back();
          out.best[place] = next;
        }
        ++next;
      });
    }
    return out;
  }

  double score(GradientSum left, GradientSum total) const {
    const FixedPoint& grid = clean_.grid;
    const GradientSum right = total - left;
    const double hl = grid.real(left.h), hr = grid.real(right.h);
    if (!eligible(hl, hr, params_)) return kNoSplit;
    const double parent = leaf_quality(grid.real(total.g), grid.real(total.h), params_.lambda);
    return split_score(grid.real(left.g), hl, grid.real(right.g), hr, parent, params_);
  }

  void look_at(const Level& level) {
    const ClearLevel truth = clear(level);
    const auto& chosen = notes_.at<int64_t>(Notebook::Topic::choices, level);
    for (size_t place = 0; place < chosen.size(); ++place) {
      const size_t best = truth.best[place];
      if (best == kNoBest) continue;
      ++nodes_;
      agree_ += chosen[place] == int64_t{truth.plan.headers[best].id};
      best_gain_ += truth.score[best];
      if (chosen[place] != kNoChoice)
        chosen_gain_ += std::max(0.0, truth.score[truth.find(place, chosen[place])]);
    }
    if (is_filtered(in_.spec)) {  // the level had noise of its own
      const auto& noise = notes_.at<double>(Notebook::Topic::noise, level);
      calibration_ = calibration_.at(noise.at(0), noise.at(1));
    }
    if (level.depth == 0 && truth.best[0] != kNoBest)
      hold_against_theorem1(truth, truth.best[0], level.nodes[0].rows.size(),
                            notes_.at<RootSums>(Notebook::Topic::root_sums, level)[truth.best[0]]);
  }

  // Theorem 1 at alpha = a quarter of the smaller side's quality, for the root's truly best
  // candidate: did its score, half of both sides' qualities, move by alpha or more, and with which
  // probability may it? (That one side moves is more likely, and not what the theorem bounds.)
  void hold_against_theorem1(const ClearLevel& truth, size_t best, size_t rows,
                             const RootSums& noisy) {
    const FixedPoint& grid = clean_.grid;
    const CandidateHeader& header = truth.plan.headers[best];
    const GradientSum left = truth.left[best], right = truth.total[0] - left;
    const double lambda = params_.lambda;
    const double true_left = leaf_quality(grid.real(left.g), grid.real(left.h), lambda);
    const double true_right = leaf_quality(grid.real(right.g), grid.real(right.h), lambda);
    const double alpha = std::min(true_left, true_right) / 4;
    ++observed_;
    const double moved = leaf_quality(noisy.left_g, noisy.left_h, lambda) - true_left +
                         leaf_quality(noisy.right_g, noisy.right_h, lambda) - true_right;
    deviated_ +=
        noisy.left_h + lambda <= 0 || noisy.right_h + lambda <= 0 || std::abs(moved) / 2 >= alpha;
    if (calibration_.zero_noise || alpha <= 0) return;
    const double kappa =
        calibration_.kappa(header.active, static_cast<int64_t>(rows) - header.active);
    bound_ +=
        std::min(1.0, privacy::utility_bound(alpha, kappa,
                                             {grid.real(left.g), grid.real(left.h),
                                              grid.real(right.g), grid.real(right.h), lambda}));
  }

  std::vector<Metric> metrics() const {
    if (nodes_ == 0) return {};
    const auto nodes = static_cast<double>(nodes_);
    std::vector<Metric> out = {{"true_argmax_share", static_cast<double>(agree_) / nodes, ""},
                               {"gain_lost", 1 - chosen_gain_ / best_gain_, ""}};
    if (observed_ > 0) {
      const auto observed = static_cast<double>(observed_);
      out.push_back({"thm1_deviation_share", static_cast<double>(deviated_) / observed, ""});
      out.push_back({"thm1_bound", bound_ / observed, ""});
    }
    return out;
  }

  const ProbeInput& in_;
  ScoreParams params_;
  privacy::MaskedCalibration calibration_;
  Notes notes_;
  CandidateCounter counter_;
  LevelHistograms histograms_;
  Gradients clean_;

  int64_t nodes_ = 0, agree_ = 0;
  double best_gain_ = 0, chosen_gain_ = 0;
  int64_t observed_ = 0, deviated_ = 0;
  double bound_ = 0;
};

}  // namespace

std::vector<Metric> masked_probe(const ProbeInput& input) {
  return Probe(input).run();
}

}  // namespace maskbench
