#include "baselines/query_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "baselines/folds.hpp"
#include "harness/base/random.hpp"
#include "harness/trees/metrics.hpp"
#include "harness/trees/passive_score.hpp"

namespace maskbench {

namespace {

constexpr size_t kMostRows = 1000;

// The mean answer to `queries` queries of each row.
std::vector<float> mean_answers(const PassiveScore& model, std::span<const float> scores,
                                int queries, uint64_t seed, ThreadPool& pool) {
  std::vector<float> out(scores.begin(), scores.end());
  const bool in_clear = !(model.eps_query > 0);  // asking again tells nothing new
  pool.run(out.size(), [&](size_t row, int) {
    const PhiloxKey key = derive_key(seed, fmt::format("queries {}", row));
    std::vector<float> answers(in_clear ? 1 : static_cast<size_t>(queries), scores[row]);
    answer(model, key, answers);
    out[row] = static_cast<float>(std::accumulate(answers.begin(), answers.end(), 0.0) /
                                  static_cast<double>(answers.size()));
  });
  return out;
}

}  // namespace

std::vector<Metric> query_metrics(const ProbeInput& input) {
  std::vector<uint32_t> rows(std::min(input.pp.bins.rows, kMostRows));
  std::iota(rows.begin(), rows.end(), 0u);
  const PartyData pp = rows_of(input.pp, rows);
  const std::vector<float> scores = passive_scores(*input.model.pp_score, pp, input.pool);
  std::vector<Metric> out;
  for (const int queries : {1, 10000}) {
    const std::vector<float> answers =
        mean_answers(*input.model.pp_score, scores, queries, input.seed, input.pool);
    double sum = 0, most = 0, vectors = 0;
    for (const Candidate& candidate : pp.candidates) {
      std::vector<float> bits;
      for (size_t row = 0; row < rows.size(); ++row)
        bits.push_back(goes_left(candidate, pp.cuts[candidate.feature].missing_bin(),
                                 pp.bins.at(row, candidate.feature)));
      const double left = std::accumulate(bits.begin(), bits.end(), 0.0);
      if (left == 0 || left == static_cast<double>(rows.size())) continue;
      const double area = auc(answers, bits);
      sum += std::max(area, 1 - area);
      most = std::max({most, area, 1 - area});
      ++vectors;
    }
    if (vectors == 0) return {};
    const Subject of{.queries = queries};
    out.push_back({"query_bit_auc", sum / vectors, "", -1, "ok", "", of});
    out.push_back({"query_bit_auc_max", most, "", -1, "ok", "", of});
  }
  return out;
}

}  // namespace maskbench
