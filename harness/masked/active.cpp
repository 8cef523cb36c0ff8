#include "harness/masked/active.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/random.hpp"
#include "harness/masked/cells.hpp"
#include "harness/masked/joint.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/privacy/theorem3_tight.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench {

namespace mk = kernels;

namespace {

// A deviating AP adds more or less of the noise than agreed, entry by entry.
std::unique_ptr<Payload> rescaled(const Payload& noise, double factor) {
  std::unique_ptr<Payload> out = noise.copy();
  for (int32_t& value : dynamic_cast<HostValues<int32_t>&>(*out).values) {
    const double scaled = std::nearbyint(factor * value);
    if (std::abs(scaled) >= 0x1p31)
      throw mk::KernelError("deviation.ap_c: the noise leaves 32 bits; choose a smaller factor");
    value = static_cast<int32_t>(scaled);
  }
  return out;
}

}  // namespace

MaskedActive::MaskedActive(const ActiveContext& c)
    : ActiveSide(c),
      backend_(compute_.backend(c.data)),
      gradient_only_(c.spec.train.gradient_only()),
      key_(derive_key(c.key, "masked AP")),
      rounded_(derive_key(c.key, "masked AP rounding"), c.pool) {}

void MaskedActive::start() {
  const auto candidates = channel_.receive<uint64_t>(Kind::setup);
  calibration_ = masked_calibration(spec_, data_.bins.rows, candidates.at(0));
  grid_ = masked_grid(spec_, calibration_, gradient_grid(spec_.train).exponent, data_.bins.rows,
                      candidates.at(0));
  budget_.emplace(spec_, data_.bins.rows, candidates.at(0), Party::ap);
}

void MaskedActive::begin_tree(int tree, const Gradients& clean) {
  ActiveSide::begin_tree(tree, clean);
  rounded_.begin_tree(tree, clean);
  rebind_ = true;
}

// Totals first; then every block that PP sends is answered, until PP has made up its mind.
std::vector<Proposal> MaskedActive::proposals(const Level& level) {
  if (budget_->is_on()) {
    calibration_ = budget_->agree_as_ap(channel_, level, calibration_);
    grid_ = level_grid(spec_, calibration_, clean_->grid.exponent, data_.bins.rows);
  }
  backend_->begin_level(level);
  grid_changed_ = rounded_.update(level, *grid_);
  rebind_ = rebind_ || grid_changed_;
  lift_.clear();
  for (int shift : rounded_.shifts()) lift_.push_back(lift_of(shift));
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

BlockWeights MaskedActive::draw_weights(const Level& level,
                                        std::span<const CandidateHeader> headers) const {
  const size_t W = static_cast<size_t>(calibration_.W);
  BlockWeights out{std::vector<int32_t>(headers.size() * W),
                   std::vector<int32_t>(headers.size() * W)};
  if (calibration_.zero_noise) return out;
  key_.visit([&](auto key) {
    for (size_t i = 0; i < headers.size(); ++i) {
      const CandidateHeader& header = headers[i];
      const auto node = static_cast<uint32_t>(level.nodes[header.place].node);
      const mk::StreamIdOf<decltype(key)> id{key, static_cast<uint32_t>(level.tree), node,
                                             header.id, 0u};
      if (W == 1) {
        const mk::SignPair signs = mk::draw_signs(id);
        out.c[i] = signs.c;
        out.d[i] = signs.d;
        continue;
      }
      const auto n = static_cast<int64_t>(level.size(header.place));
      const int shift = rounded_.shifts()[header.place];
      const double radius = grid_->radius(shift, header.active, n - header.active);
      mk::draw_sphere(id, mk::Stream::kSphereC, radius, std::span(out.c).subspan(i * W, W));
      mk::draw_sphere(id, mk::Stream::kSphereD, radius, std::span(out.d).subspan(i * W, W));
    }
  });
  return out;
}

void MaskedActive::answer(const Level& level) {
  Tag tag;
  const auto headers = channel_.receive<CandidateHeader>(Kind::noise, &tag);
  std::unique_ptr<Payload> noise = channel_.receive_payload(Kind::noise);
  std::vector<mk::ActiveSet> candidates;
  for (const CandidateHeader& header : headers) {
    if (header.place >= level.nodes.size() || header.active > level.nodes[header.place].rows.size())
      throw ProtocolError("PP speaks of a candidate that no node can have");
    candidates.push_back({header.place, header.id, 0, {}});
  }
  if (budget_->is_on()) budget_->count(headers);
  std::vector<size_t> first_cell(candidates.size() + 1);
  mk::lay_out(level, candidates, first_cell);
  const mk::BlockLayout block{candidates, first_cell};
  block_ = draw_weights(level, headers);
  privacy::VectorCharges charges;
  if (!calibration_.zero_noise)
    charges = privacy::active_charges(calibration_, !gradient_only_,
                                      counts_of(level, headers, calibration_, Party::ap));
  if (!noise->has_bytes())
    return send_sealed(tag, std::move(noise), block.cells(), std::move(charges));
  if (spec_.deviation.ap_c != 1) noise = rescaled(*noise, std::sqrt(spec_.deviation.ap_c));
  if (grid_->is_wide()) {
    send_cells<int64_t>(tag, block, std::move(noise), std::move(charges));
  } else {
    send_cells<int32_t>(tag, block, std::move(noise), std::move(charges));
  }
}

template <class Cell>
void MaskedActive::send_cells(const Tag& tag, const mk::BlockLayout& block,
                              std::unique_ptr<Payload> noise, privacy::VectorCharges charges) {
  const mk::Cells<int32_t> b =
      cells_of<int32_t>(*noise, Kind::noise, block.cells() * static_cast<size_t>(calibration_.W));
  std::unique_ptr<Payload> g = make_cells<Cell>(*backend_, channel_, block.cells()), h;
  if (!gradient_only_) h = make_cells<Cell>(*backend_, channel_, block.cells());
  mk::MaskedBlock<Cell> out{cells_of<Cell>(*g, Kind::masked, block.cells()), {}};
  if (h) out.h = cells_of<Cell>(*h, Kind::masked, block.cells());
  backend_->mask(block, as_read(b), {rounded_.rows(), std::exchange(rebind_, false), lift_},
                 block_.view(), calibration_.W, out);
  give_back<int32_t>(channel_, *noise);
  send_masked(tag, std::move(g), std::move(h), std::move(charges));
}

// Simulated: the sums are formed when PP asks for them.
void MaskedActive::send_sealed(const Tag& tag, std::unique_ptr<Payload> noise, size_t cells,
                               privacy::VectorCharges charges) {
  const size_t bytes = cells * grid_->cell_bytes();
  const JointValues mine{rounded_.rows(), grid_changed_, lift_, block_.view(),
                         std::sqrt(spec_.deviation.ap_c)};
  send_masked(tag, joint_answer(std::move(noise), mine, bytes),
              std::make_unique<SimulatedPayload>(bytes), std::move(charges));
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
