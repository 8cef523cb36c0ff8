#include "harness/privacy/calibration_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/table.hpp"
#include "harness/privacy/errors.hpp"
#include "harness/privacy/exposures.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/privacy/theorem1.hpp"

namespace maskbench::privacy {
namespace {

// A whole training whose candidates all have the query's sizes.
PrivacyAccountant representative_training(const CalibrationQuery& query,
                                          const MaskedCalibration& calibration,
                                          const CalibrationReport& report) {
  Ledger ap(report.reading.unit), pp(report.reading.unit);
  VectorCharges charges;
  for (int tree = 0; tree < query.budget.pp.rounds; ++tree) {
    for (int level = 0; level < query.budget.pp.depth; ++level) {
      const Where where{tree, level, 0};
      add_active_charges(calibration, query.with_hessian, where, report.n_active,
                         report.n - report.n_active, query.candidates, charges);
      pp.charge(passive_charge(calibration, where, report.n_active, query.candidates));
    }
  }
  for (const Charge& charge : charges.g) ap.charge(charge);
  for (const Charge& charge : charges.h) ap.charge(charge);
  for (const Note& note : active_notes(calibration)) ap.note(note);
  for (const Note& note : passive_notes(calibration)) pp.note(note);
  for (const char* reason : {kTotalsInClear, kChoicesInClear})
    ap.note({Note::Kind::exposed, View::wire, reason});
  for (const char* reason : {kScoresInClear, kRowSetsInClear})
    pp.note({Note::Kind::exposed, View::wire, reason});
  pp.note({Note::Kind::exposed, View::receiver, kHeadersInClear});
  return {report.reading,
          {report.eps_ap, report.delta_ap, report.eps_pp, report.delta_pp},
          std::move(ap),
          std::move(pp)};
}

std::string number(double value) {
  return std::isinf(value) ? std::string("infinite") : fmt::format("{:.6g}", value);
}

// Many guarantees share a reason: it stands once below the table, with the number that they show.
std::string guarantees_text(const std::vector<Cost>& guarantees) {
  std::vector<std::string> reasons;
  std::string text = fmt::format("\n   {:<9}{:<39}{:>10}{:>10}\n", "view",
                                 "scope/unit/composition/mu/theorem3", "eps", "delta");
  for (const Cost& cost : guarantees) {
    std::string mark;
    if (!cost.reason.empty()) {
      const auto known = std::ranges::find(reasons, cost.reason);
      mark = fmt::format("[{}]", known - reasons.begin() + 1);
      if (known == reasons.end()) reasons.push_back(cost.reason);
    }
    text +=
        fmt::format("{:<3}{:<9}{:<39}{:>10}{:>10.3g} {}", name_of(cost.party), name_of(cost.view),
                    to_string(cost.reading), number(cost.eps), cost.delta, mark);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  for (size_t i = 0; i < reasons.size(); ++i)
    text += wrapped(fmt::format("[{}] {}", i + 1, reasons[i]), kPageWidth);
  return text;
}

}  // namespace

CalibrationReport make_calibration_report(const CalibrationQuery& query) {
  MaskedBudget budget = query.budget;
  budget.set_shape(budget.pp.rounds, budget.pp.depth, query.candidates, query.with_hessian);
  CalibrationReport report;
  report.eps_ap = budget.eps_ap;
  report.delta_ap = budget.delta_ap;
  report.eps_pp = budget.eps_pp;
  report.delta_pp = budget.delta_pp > 0 ? budget.delta_pp : 1 / double(budget.n);
  report.n = budget.n;
  report.n_active = query.n_active > 0 ? query.n_active : std::max<int64_t>(1, budget.n / 2);
  if (report.n_active > report.n) throw InvalidBudget("n-active must not exceed n");
  report.W = budget.W;
  report.reading = budget.reading;
  try {
    const MaskedCalibration calibration = calibrate_masked(budget);
    const int64_t n_inactive = report.n - report.n_active;
    report.mu = calibration.mu;
    report.R = calibration.R;
    report.s = calibration.q;
    report.C = calibration.C(report.n_active, n_inactive);
    report.sigma1 = calibration.sigma1;
    report.sigma2 = calibration.sigma2;
    report.C_sigma2_sq = report.C * report.sigma2 * report.sigma2;
    report.kappa = calibration.kappa(report.n_active, n_inactive);
    const double entries = budget.reading.unit == Unit::vector ? double(report.n) : 1;
    report.ldp_kappa = report.mu * std::sqrt(double(report.n_active) * entries / report.s);
    const auto costs = representative_training(query, calibration, report).report();
    report.guarantees = costs.run;
    report.guarantees.insert(report.guarantees.end(), costs.elsewhere.begin(),
                             costs.elsewhere.end());
  } catch (const Infeasible& error) {
    report.feasible = false;
    report.reason = error.what();
  }
  return report;
}

std::string to_table(const CalibrationReport& report) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value, std::string_view what) {
    text += wrapped(fmt::format("{:<12} {:>14}  {}", name, value, what), kPageWidth);
  };
  line("feasible", report.feasible ? "yes" : "no", report.reason);
  line("reading", "", to_string(report.reading));
  line("eps_ap", number(report.eps_ap), fmt::format("delta_ap {}", number(report.delta_ap)));
  line("eps_pp", number(report.eps_pp), fmt::format("delta_pp {}", number(report.delta_pp)));
  line("n", fmt::format("{}", report.n), fmt::format("{} of them active", report.n_active));
  line("W", fmt::format("{}", report.W), "noise vectors a candidate");
  if (!report.feasible) return text;
  line("mu", number(report.mu), "largest change of a gradient");
  line("R", number(report.R), "sigma1^2 / sigma2^2");
  line("s", number(report.s), "quadratic form one message may have");
  line("sigma1", number(report.sigma1), "");
  line("sigma2", number(report.sigma2), "");
  line("C_sigma2_sq", number(report.C_sigma2_sq), "for this candidate");
  line("kappa", number(report.kappa), "sd of the noise on a split's sum");
  line("ldp_kappa", number(report.ldp_kappa), "the same under i.i.d. noise of equal privacy");
  return text + guarantees_text(report.guarantees);
}

std::string to_json(const CalibrationReport& report) {
  nlohmann::ordered_json json = {{"feasible", report.feasible},
                                 {"reason", report.reason},
                                 {"eps_ap", report.eps_ap},
                                 {"delta_ap", report.delta_ap},
                                 {"eps_pp", report.eps_pp},
                                 {"delta_pp", report.delta_pp},
                                 {"n", report.n},
                                 {"n_active", report.n_active},
                                 {"W", report.W},
                                 {"reading", to_string(report.reading)}};
  if (report.feasible) {
    json.update({{"mu", report.mu},
                 {"R", report.R},
                 {"s", report.s},
                 {"sigma1", report.sigma1},
                 {"sigma2", report.sigma2},
                 {"C", report.C},
                 {"C_sigma2_sq", report.C_sigma2_sq},
                 {"kappa", report.kappa},
                 {"ldp_kappa", report.ldp_kappa}});
    json["guarantees"] = nlohmann::ordered_json::array();
    for (const Cost& cost : report.guarantees) {
      json["guarantees"].push_back({{"party", name_of(cost.party)},
                                    {"view", name_of(cost.view)},
                                    {"scope", name_of(cost.reading.scope)},
                                    {"unit", name_of(cost.reading.unit)},
                                    {"composition", name_of(cost.reading.composition)},
                                    {"mu", name_of(cost.reading.mu)},
                                    {"theorem3", name_of(cost.reading.theorem3)},
                                    {"eps", cost.eps},
                                    {"delta", cost.delta},
                                    {"reason", cost.reason}});
    }
  }
  return json.dump(2);
}

}  // namespace maskbench::privacy
