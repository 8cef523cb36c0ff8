#include "harness/privacy/masked_charges.hpp"

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
