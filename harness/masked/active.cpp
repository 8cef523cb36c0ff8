#include "harness/masked/active.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/random.hpp"
#include "harness/masked/joint.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/privacy/theorem3_tight.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench {

namespace mk = kernels;

namespace {
constexpr double kMaxWeight = 0x7fffffff;  // of c, in 32 bits
}

int choose_shift(double largest_radius, double rows, int W) {
  constexpr int kMaxShift = 10;
  if (largest_radius >= kMaxWeight)
    throw mk::KernelError(fmt::format(
        "masked: c = {:.3g} steps of its grid is over 2^31; raise AP's budget", largest_radius));
  for (int shift = kMaxShift; shift > 0; --shift) {
    const double weight = std::ldexp(1 + largest_radius * std::sqrt(W), shift);
    const bool fits = std::ldexp(largest_radius, shift) < kMaxWeight;
    if (fits && rows * mk::kMaxCell * weight < 0x1p62) return shift;
  }
  return 0;
}

double noise_steps(double R, const DeviationSpec& deviation) {
  const double largest =
      2 * std::sqrt(R) * std::max(1.0, deviation.pp_sigma1) + std::max(1.0, deviation.pp_sigma2);
  const double room = mk::kMaxCell / (1.01 * mk::kNormalMax * largest);
  // A smaller sigma2 than agreed still needs its 2^12 steps.
  const bool smaller = deviation.pp_sigma2 > 0 && deviation.pp_sigma2 < 1;
  return std::min(smaller ? 0x1p14 / deviation.pp_sigma2 : 0x1p14, room);
}

MaskedActive::MaskedActive(const ActiveContext& c)
    : ActiveSide(c),
      backend_(compute_.backend()),
      gradient_only_(c.spec.train.gradient_only()),
      key_(derive_key(c.key, "masked AP")) {}

void MaskedActive::start() {
  const auto candidates = channel_.receive<uint64_t>(Kind::setup);
  calibration_ = masked_calibration(spec_, data_.bins.rows, candidates.at(0));
}

// Totals first; then every block that PP sends is answered, until PP has made up its mind.
std::vector<Proposal> MaskedActive::proposals(const Level& level) {
  rows_ = std::make_unique<GatheredRows>(level);
  g_.clear();
  send_totals(level);
  while (channel_.next() == Kind::noise) answer(level);
  return ActiveSide::proposals(level);
}

// G and H of each node, and the grid.
void MaskedActive::send_totals(const Level& level) {
  std::vector<int64_t> totals = {clean_->grid.exponent};
  for (const LevelNode& node : level.nodes) {
    GradientSum sum;
    for (uint32_t row : node.rows) sum += {clean_->rows[row].g, clean_->rows[row].h};
    totals.push_back(sum.g);
    totals.push_back(sum.h);
  }
  channel_.send(Kind::totals, {level.tree, level.depth}, std::move(totals),
                Price::exposed(privacy::kTotalsInClear));
}

mk::RowValues MaskedActive::values(const mk::LevelRows& level) {
  if (!g_.empty()) return {g_, h_};  // one gathering serves all blocks of the level
  g_.resize(level.rows.size());
  h_.resize(level.rows.size());
  for (size_t j = 0; j < level.rows.size(); ++j) {
    g_[j] = clean_->rows[level.rows[j]].g;
    h_[j] = clean_->rows[level.rows[j]].h;
  }
  return {g_, h_};
}

BlockWeights MaskedActive::draw_weights(const mk::LevelRows& level,
                                        std::span<const CandidateHeader> headers) const {
  const size_t W = static_cast<size_t>(calibration_.W);
  BlockWeights out{std::vector<int32_t>(headers.size() * W),
                   std::vector<int32_t>(headers.size() * W), 0};
  if (calibration_.zero_noise) return out;
  // sqrt(C) in units of (step of <g>)/(step of B), before the shift.
  const DeviationSpec& deviation = spec_.deviation;
  const double unit = 1 / (clean_->grid.step() * noise_steps(calibration_.R, deviation));
  std::vector<double> radius(headers.size());
  double rows = 0;
  for (size_t i = 0; i < headers.size(); ++i) {
    const auto n = static_cast<int64_t>(level.size(headers[i].place));
    const double C = deviation.ap_c * calibration_.C(headers[i].active, n - headers[i].active);
    radius[i] = std::sqrt(C) * unit;
    rows = std::max(rows, static_cast<double>(n));
  }
  out.shift = choose_shift(*std::max_element(radius.begin(), radius.end()), rows, calibration_.W);
  for (size_t i = 0; i < headers.size(); ++i) {
    const CandidateHeader& header = headers[i];
    const mk::StreamId id{key_, level.tree, level.node_id[header.place], header.id, 0};
    const double scaled = std::ldexp(radius[i], out.shift);
    mk::draw_sphere(id, mk::Stream::kSphereC, scaled, std::span(out.c).subspan(i * W, W));
    mk::draw_sphere(id, mk::Stream::kSphereD, scaled, std::span(out.d).subspan(i * W, W));
  }
  return out;
}

void MaskedActive::answer(const Level& level) {
  Tag tag;
  const auto headers = channel_.receive<CandidateHeader>(Kind::noise, &tag);
  std::unique_ptr<Payload> noise = channel_.receive_payload(Kind::noise);
  const mk::LevelRows view = rows_->view();
  std::vector<mk::ActiveSet> candidates;
  privacy::VectorCharges charges;
  charges.g.reserve(headers.size());
  charges.h.reserve(headers.size());
  for (const CandidateHeader& header : headers) {
    candidates.push_back({header.place, header.id, 0, {}});
    if (calibration_.zero_noise) continue;
    const auto n = static_cast<int64_t>(view.size(header.place));
    const privacy::Where where{level.tree, level.depth,
                               static_cast<int>(view.node_id[header.place])};
    privacy::add_active_charges(calibration_, !gradient_only_, where, header.active,
                                n - header.active, 1, charges);
  }
  std::vector<size_t> first_cell(candidates.size() + 1);
  mk::lay_out(view, candidates, first_cell);
  const mk::Batch batch{view, candidates, first_cell};
  block_ = draw_weights(view, headers);
  channel_.send(Kind::totals, tag, std::vector<int64_t>{block_.shift},
                Price::not_personal("the shift follows from the budget and from n_A"));
  if (!noise->has_bytes()) {  // simulated: the sums are formed when PP asks for them
    const bool fused = spec_.mode == Mode::fused;
    const JointValues mine{fused ? values(view) : mk::RowValues{}, clean_, block_.view()};
    send_masked(tag, joint_answer(std::move(noise), mine, batch.cells()),
                std::make_unique<SimulatedPayload>(batch.cells() * sizeof(int64_t)),
                std::move(charges));
    return;
  }
  mk::check_bounds(batch, block_.view(), calibration_.W);
  auto& b = dynamic_cast<HostValues<int32_t>&>(*noise).values;
  auto g = std::make_unique<HostValues<int64_t>>(channel_.buffers().get<int64_t>(batch.cells()));
  auto h = std::make_unique<HostValues<int64_t>>(channel_.buffers().get<int64_t>(batch.cells()));
  backend_->mask(batch, b, values(view), block_.view(), calibration_.W, g->values, h->values);
  channel_.buffers().give_back(std::move(b));
  if (gradient_only_) channel_.buffers().give_back(std::move(h->values));
  send_masked(tag, std::move(g), std::move(h), std::move(charges));
}

// h is 1 for every row of a gradient-only variant: then only gradients travel.
void MaskedActive::send_masked(const Tag& tag, std::unique_ptr<Payload> g,
                               std::unique_ptr<Payload> h, privacy::VectorCharges charges) {
  const bool hessian_is_charged = !charges.h.empty();
  channel_.send(Kind::masked, tag, std::move(g), vector_price(std::move(charges.g)));
  if (gradient_only_) return;
  channel_.send(Kind::masked, tag, std::move(h),
                hessian_is_charged || calibration_.zero_noise
                    ? vector_price(std::move(charges.h))
                    : Price::derived("margins alone: no label moves a hessian by itself"));
}

Price MaskedActive::vector_price(std::vector<privacy::Charge> charges) {
  Price price = calibration_.zero_noise ? Price::exposed(privacy::kNoNoise, privacy::View::stated)
                                        : Price::covered(std::move(charges));
  if (std::exchange(noted_, true)) return price;  // what holds of all need be said once
  std::vector<privacy::Note> notes = privacy::active_notes(calibration_);
  if (spec_.deviation.any())
    notes.push_back({privacy::Note::Kind::premise, privacy::View::stated, privacy::kDeviation});
  return std::move(price).noting(notes);
}

std::vector<Metric> MaskedActive::metrics() const {
  if (calibration_.zero_noise) return {};
  const auto n = static_cast<int64_t>(data_.bins.rows);
  const double eps = spec_.privacy.eps_pp;
  using namespace privacy;
  return {{"noise_ratio_R", calibration_.R, ""},
          {"noise_q", calibration_.q, ""},
          {"noise_kappa_half", calibration_.kappa(n / 2, n - n / 2), ""},
          {"delta_pp_printed", theorem3_delta_printed(n, calibration_.R, eps, calibration_.W), ""},
          {"delta_pp_tight", theorem3_delta_tight(n, calibration_.R, eps, calibration_.W), ""}};
}

}  // namespace maskbench
