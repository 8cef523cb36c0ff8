#include "harness/privacy/masked_charges.hpp"

#include <algorithm>

#include "harness/privacy/theorem3.hpp"

namespace maskbench::privacy {

void add_active_charges(const MaskedCalibration& calibration, bool with_hessian, const Where& where,
                        int64_t n_active, int64_t n_inactive, int64_t count,
                        VectorCharges& charges) {
  const double m_record = calibration.m(Unit::record, n_active, n_inactive);
  const double m_vector = calibration.m(Unit::vector, n_active, n_inactive);
  const int shared_W = with_hessian ? calibration.W : 0;
  charges.g.push_back({Mechanism::gaussian(m_record, m_vector, shared_W), where, count});
  const double share = calibration.mu_hessian / calibration.mu;
  if (!with_hessian || share <= 0) return;
  charges.h.push_back(
      {Mechanism::gaussian(share * m_record, share * m_vector, shared_W), where, count});
}

Charge passive_charge(const MaskedCalibration& calibration, const Where& where, int64_t n_active,
                      int64_t count) {
  return {Mechanism::theorem3(calibration.R, calibration.W, n_active), where, count};
}

CandidateCounts::CandidateCounts(const MaskedCalibration& calibration, Party party)
    : party_(party),
      saturated_(saturating_n(calibration.R)),
      agreed_(calibration.scale),
      other_(calibration.scale.unit() == Unit::record ? Unit::vector : Unit::record, calibration.mu,
             calibration.R, 1) {}

// AP: m of the other unit, as far as the ledger tells it apart; m of the run's own unit is always
// what the budget allows. PP: n_A likewise.
int64_t CandidateCounts::key_of(int64_t n_active, int64_t n_inactive) const {
  if (party_ == Party::pp) return Ledger::counted_cycle(n_active, saturated_);
  const double m_squared =
      other_.C_sigma2_sq(n_active, n_inactive) / agreed_.C_sigma2_sq(n_active, n_inactive);
  return Ledger::noise_class(m_squared);
}

void CandidateCounts::add(const Where& where, int64_t n_active, int64_t n_inactive) {
  if (classes_.empty() || classes_.back().where != where) node_begin_ = classes_.size();
  const int64_t key = key_of(n_active, n_inactive);
  for (size_t i = node_begin_; i < classes_.size(); ++i) {
    if (classes_[i].key != key) continue;
    ++classes_[i].count;
    return;
  }
  classes_.push_back({where, key, n_active, n_inactive, 1});
}

VectorCharges active_charges(const MaskedCalibration& calibration, bool with_hessian,
                             const CandidateCounts& counts) {
  VectorCharges out;
  for (const CandidateCounts::Class& c : counts.classes()) {
    add_active_charges(calibration, with_hessian, c.where, c.n_active, c.n_inactive, c.count, out);
  }
  return out;
}

std::vector<Charge> passive_charges(const MaskedCalibration& calibration,
                                    const CandidateCounts& counts) {
  std::vector<Charge> out;
  for (const CandidateCounts::Class& c : counts.classes()) {
    out.push_back(passive_charge(calibration, c.where, c.n_active, c.count));
  }
  return out;
}

std::vector<Note> active_notes(const MaskedCalibration& calibration) {
  if (calibration.zero_noise) return {{Note::Kind::exposed, View::stated, kNoNoise}};
  return {{Note::Kind::exposed, View::receiver, kReceiverKnowsB},
          {Note::Kind::caveat, View::stated, kCleanLeavesCaveat}};
}

std::vector<Note> passive_notes(const MaskedCalibration& calibration) {
  if (calibration.zero_noise) return {{Note::Kind::exposed, View::stated, kNoNoise}};
  return {};
}

}  // namespace maskbench::privacy
