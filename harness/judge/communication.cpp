#include "harness/judge/communication.hpp"

#include "harness/judge/catalog.hpp"

namespace maskbench {

std::vector<Metric> communication_metrics(const RunSpec& spec, const PartyData& pp) {
  if (spec.train.rounds != 1 || spec.train.max_depth != 1) return {};
  const Method& method = find_method(spec.method);
  const NodeShape node{static_cast<double>(pp.bins.rows), static_cast<double>(pp.candidates.size()),
                       static_cast<double>(pp.offsets.back()), static_cast<double>(pp.cuts.size())};
  const double own = method.own_bytes ? method.own_bytes(spec, node) : 0;
  std::vector<Metric> out = {{"wire_own_formula_bytes", own, "bytes"},
                             {"wire_candidates", node.candidates, ""}};
  if (method.paper_bytes)
    out.push_back({"wire_formula_bytes", method.paper_bytes(spec, node), "bytes"});
  return out;
}

}  // namespace maskbench
