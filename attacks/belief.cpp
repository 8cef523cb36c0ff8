#include "attacks/belief.hpp"

#include <algorithm>

#include "attacks/chain_posterior.hpp"

namespace maskbench {

namespace {
constexpr int kSweeps = 8;
constexpr float kDamping = 0.5f;  // of later sweeps: keeps the exchange from swinging
constexpr size_t kChunk = 1 << 10;
}  // namespace

Belief::Belief(const NoiseInbox& inbox, std::vector<NestedGroup> groups, size_t rows)
    : inbox_(inbox),
      groups_(std::move(groups)),
      rows_(rows),
      evidence_(inbox.candidates.size(), std::vector<float>(rows, 0.0f)),
      odds_(evidence_) {
  for (const NoiseOfCandidate& candidate : inbox.candidates) {
    auto& columns = said_.emplace_back();
    for (const NoiseMessage& message : candidate.messages)
      columns.resize(columns.size() + message.columns.size(),
                     std::vector<float>(message.rows->size(), 0.0f));
  }
}

void Belief::propagate(ThreadPool& pool) {
  const auto is_alone = [](const auto& list) { return list.size() == 1; };
  const bool shared = !std::all_of(said_.begin(), said_.end(), is_alone) ||
                      !std::all_of(groups_.begin(), groups_.end(),
                                   [&](const NestedGroup& g) { return is_alone(g.candidates); });
  update_features(pool);
  for (int sweep = 0; sweep < (shared ? kSweeps : 1); ++sweep) {
    update_columns(pool, sweep == 0 ? 0.0f : kDamping);
    update_features(pool);
  }
}

void Belief::update_features(ThreadPool& pool) {
  const size_t chunks = (rows_ + kChunk - 1) / kChunk;
  pool.run(groups_.size() * chunks, [&](size_t task, int) {
    const NestedGroup& group = groups_[task / chunks];
    std::vector<float> in(group.candidates.size()), out(in.size());
    const size_t begin = task % chunks * kChunk;
    for (size_t row = begin; row < std::min(begin + kChunk, rows_); ++row) {
      for (size_t c = 0; c < in.size(); ++c) in[c] = evidence_[group.candidates[c]][row];
      group.posterior(in, out);
      for (size_t c = 0; c < in.size(); ++c) odds_[group.candidates[c]][row] = out[c];
    }
  });
}

void Belief::update_columns(ThreadPool& pool, float damping) {
  pool.run(said_.size(), [&](size_t i, int) { update_candidate(i, damping); });
}

// Every column hears what all others and the feature say, not what it said itself.
void Belief::update_candidate(size_t i, float damping) {
  ChainPosterior chain(inbox_.R);
  std::vector<float> prior, fresh;
  size_t column = 0;
  std::vector<float> evidence(rows_, 0.0f);
  for (const NoiseMessage& message : inbox_.candidates[i].messages) {
    const std::vector<uint32_t>& rows = *message.rows;
    for (const std::vector<float>& b : message.columns) {
      std::vector<float>& said = said_[i][column++];
      prior.resize(rows.size());
      fresh.resize(rows.size());
      for (size_t j = 0; j < rows.size(); ++j) prior[j] = odds_[i][rows[j]] - said[j];
      chain.evidence(b, prior, fresh);
      for (size_t j = 0; j < rows.size(); ++j) {
        said[j] = damping * said[j] + (1 - damping) * fresh[j];
        evidence[rows[j]] += said[j];
      }
    }
  }
  evidence_[i] = std::move(evidence);
}

std::vector<NestedGroup> single_groups(std::span<const uint32_t> active, size_t rows) {
  std::vector<NestedGroup> out;
  for (size_t i = 0; i < active.size(); ++i) {
    out.push_back(nested_groups(active.subspan(i, 1), rows).front());
    out.back().candidates = {i};
  }
  return out;
}

}  // namespace maskbench
