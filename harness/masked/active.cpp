#include "harness/masked/active.hpp"

#include <algorithm>
#include <cmath>

#include "harness/core/random.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/privacy/theorem3_tight.hpp"
#include "kernels/normal64.hpp"

namespace maskbench {

namespace {

namespace mk = kernels;

constexpr int kMaxShift = 10;  // c keeps at least that many bits where overflow allows

// The largest shift with n (2^shift + sum |c|) 2^24 < 2^62, see kernels::check_bounds.
int choose_shift(double largest_radius, double rows, int W) {
  for (int shift = kMaxShift; shift > 0; --shift) {
    const double weight = std::ldexp(1 + largest_radius * std::sqrt(W), shift);
    if (rows * mk::kMaxCell * weight < 0x1p62) return shift;
  }
  return 0;
}

}  // namespace

double noise_steps(double R, const DeviationSpec& deviation) {
  const double largest =
      2 * std::sqrt(R) * std::max(1.0, deviation.pp_sigma1) + std::max(1.0, deviation.pp_sigma2);
  const double room = mk::kMaxCell / (1.01 * mk::kNormalMax * largest);
  // A smaller sigma2 than agreed still needs its 2^12 steps.
  const bool smaller = deviation.pp_sigma2 > 0 && deviation.pp_sigma2 < 1;
  return std::min(smaller ? 0x1p14 / deviation.pp_sigma2 : 0x1p14, room);
}

MaskedActive::MaskedActive(const MethodContext& c, const privacy::MaskedCalibration& calibration,
                           std::shared_ptr<mk::Backend> backend)
    : ActiveSide(c.ap, c.score_params(), c.compute()),
      calibration_(calibration),
      backend_(std::move(backend)),
      accountant_(c.accountant),
      budget_(c.spec.privacy),
      deviation_(c.spec.deviation),
      gradient_only_(c.spec.train.gbdt || c.spec.train.objective == "regression"),
      key_(derive_key(c.noise_key, "masked AP")) {
  privacy::charge_masked_exposures(accountant_, calibration_);
  if (deviation_.any()) privacy::charge_deviation(accountant_);
}

void MaskedActive::turn(const Level& level, Wire& wire) {
  if (level.tree == tree_ && level.depth == depth_) {
    answer(level, wire);
    return;
  }
  tree_ = level.tree;
  depth_ = level.depth;
  rows_ = std::make_unique<LevelRows>(level);
  g_.clear();
  send_totals(level, wire);
}

// G and H of each node, and the grid.
void MaskedActive::send_totals(const Level& level, Wire& wire) {
  std::vector<int64_t> totals = {clean_->grid.exponent};
  for (const LevelNode& node : level.nodes) {
    GradientSum sum;
    for (uint32_t row : node.rows) sum += {clean_->rows[row].g, clean_->rows[row].h};
    totals.push_back(sum.g);
    totals.push_back(sum.h);
  }
  wire.send(Party::ap, Kind::totals, {level.tree, level.depth}, std::move(totals));
}

mk::Values MaskedActive::values(const mk::Level& level) {
  if (!g_.empty()) return {g_, h_};  // one gathering serves all blocks of the level
  g_.resize(level.rows.size());
  h_.resize(level.rows.size());
  for (size_t j = 0; j < level.rows.size(); ++j) {
    g_[j] = clean_->rows[level.rows[j]].g;
    h_[j] = clean_->rows[level.rows[j]].h;
  }
  return {g_, h_};
}

BlockWeights MaskedActive::weights(const mk::Level& level, int depth,
                                   std::span<const CandidateHeader> headers) {
  const size_t W = static_cast<size_t>(calibration_.W);
  BlockWeights out{std::vector<int32_t>(headers.size() * W),
                   std::vector<int32_t>(headers.size() * W), 0};
  if (calibration_.zero_noise) return out;
  // sqrt(C) in units of (step of <g>)/(step of B), before the shift.
  const double unit = 1 / (clean_->grid.step() * noise_steps(calibration_.R, deviation_));
  std::vector<double> radius(headers.size());
  double rows = 0;
  for (size_t i = 0; i < headers.size(); ++i) {
    const auto n = static_cast<int64_t>(level.size(headers[i].place));
    const double C = deviation_.ap_c * calibration_.C(headers[i].active, n - headers[i].active);
    radius[i] = std::sqrt(C) * unit;
    rows = std::max(rows, static_cast<double>(n));
  }
  out.shift = choose_shift(*std::max_element(radius.begin(), radius.end()), rows, calibration_.W);
  for (size_t i = 0; i < headers.size(); ++i) {
    const CandidateHeader& header = headers[i];
    mk::StreamId id{key_, level.tree, level.node_id[header.place], header.id, 0};
    const double scaled = std::ldexp(radius[i], out.shift);
    mk::draw_sphere(id, mk::Stream::kSphereC, scaled, std::span(out.c).subspan(i * W, W));
    mk::draw_sphere(id, mk::Stream::kSphereD, scaled, std::span(out.d).subspan(i * W, W));
    const auto n = static_cast<int64_t>(level.size(header.place));
    const privacy::Where where{static_cast<int>(level.tree), depth,
                               static_cast<int>(level.node_id[header.place])};
    privacy::charge_masked_candidate(accountant_, calibration_, !gradient_only_, where,
                                     header.active, n - header.active);
  }
  return out;
}

void MaskedActive::answer(const Level& level, Wire& wire) {
  Tag tag;
  const auto headers = wire.receive<CandidateHeader>(Party::ap, Kind::noise, &tag);
  auto b = wire.receive<int32_t>(Party::ap, Kind::noise);
  const mk::Level view = rows_->view();
  std::vector<mk::Candidate> candidates;
  for (const CandidateHeader& header : headers)
    candidates.push_back({header.place, header.id, 0, {}});
  std::vector<size_t> first_cell(candidates.size() + 1);
  mk::lay_out(view, candidates, first_cell);
  const mk::Batch batch{view, candidates, first_cell};
  const BlockWeights block = weights(view, level.depth, headers);
  mk::check_bounds(batch, block.view(), calibration_.W);
  std::vector<int64_t> masked_g = wire.buffer<int64_t>(batch.cells());
  std::vector<int64_t> masked_h = wire.buffer<int64_t>(batch.cells());
  backend_->mask(batch, b, values(view), block.view(), calibration_.W, masked_g, masked_h);
  wire.recycle(std::move(b));
  wire.send(Party::ap, Kind::totals, tag, std::vector<int64_t>{block.shift});
  wire.send(Party::ap, Kind::masked, tag, std::move(masked_g));
  if (gradient_only_) {
    wire.recycle(std::move(masked_h));  // h is 1 for every row: only gradients travel
  } else {
    wire.send(Party::ap, Kind::masked, tag, std::move(masked_h));
  }
}

std::vector<Metric> MaskedActive::metrics() const {
  if (calibration_.zero_noise) return {};
  const auto n = static_cast<int64_t>(data_.bins.rows);
  const double eps = budget_.eps_pp;
  using namespace privacy;
  return {{"noise_ratio_R", calibration_.R, ""},
          {"noise_q", calibration_.q, ""},
          {"noise_kappa_half", calibration_.kappa(n / 2, n - n / 2), ""},
          {"delta_pp_printed", theorem3_delta_printed(n, calibration_.R, eps, calibration_.W), ""},
          {"delta_pp_tight", theorem3_delta_tight(n, calibration_.R, eps, calibration_.W), ""}};
}

}  // namespace maskbench
