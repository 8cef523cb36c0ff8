#include "harness/privacy/masked_charges.hpp"

namespace maskbench::privacy {

void charge_masked_candidate(PrivacyAccountant& accountant, const MaskedCalibration& calibration,
                             bool with_hessian, const Where& where, int64_t n_active,
                             int64_t n_inactive, int64_t count) {
  if (calibration.zero_noise) return;  // charge_masked_exposures says it all
  const double m_record = calibration.m(Unit::record, n_active, n_inactive);
  const double m_vector = calibration.m(Unit::vector, n_active, n_inactive);
  const int shared_W = with_hessian ? calibration.W : 0;
  accountant.charge(Party::active, Mechanism::gaussian(m_record, m_vector, shared_W), where, count);
  // A hessian that no neighbour can move (mu: label) costs nothing by itself.
  const double share = calibration.mu_hessian / calibration.mu;
  if (with_hessian && share > 0) {
    const auto mechanism = Mechanism::gaussian(share * m_record, share * m_vector, shared_W);
    accountant.charge(Party::active, mechanism, where, count);
  }
  accountant.charge(Party::passive, Mechanism::theorem3(calibration.R, calibration.W, n_active),
                    where, count);
}

void charge_masked_exposures(PrivacyAccountant& accountant, const MaskedCalibration& calibration) {
  const Where once;
  const auto expose = [&](Party party, View from, const char* reason) {
    accountant.charge(party, Mechanism::exposed(from, reason), once, 0);
  };
  if (calibration.zero_noise) {
    expose(Party::active, View::stated, "the noise is switched off");
    expose(Party::passive, View::stated, "the noise is switched off");
    return;
  }
  expose(
      Party::active, View::receiver,
      "PP drew B itself: given B, <g> = g + Bc fixes g up to W numbers (delta = 1 for every eps)");
  expose(Party::active, View::wire, "G and H of every node are sent in clear");
  accountant.charge(Party::active, Mechanism::caveat(kCleanLeavesCaveat), once, 0);
  expose(Party::passive, View::wire, "the row sets of PP's winning splits are sent to AP in clear");
}

void charge_deviation(PrivacyAccountant& accountant) {
  for (const Party party : {Party::active, Party::passive})
    accountant.charge(
        party, Mechanism::caveat("a party deviates: eps is that of the protocol agreed on"), {}, 0);
}

}  // namespace maskbench::privacy
