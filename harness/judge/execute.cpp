#include "harness/judge/execute.hpp"

#include "harness/base/random.hpp"
#include "harness/judge/attack_run.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/communication.hpp"
#include "harness/judge/prepare.hpp"
#include "harness/judge/run_metrics.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/trees/metrics.hpp"
#include "harness/trees/model_io.hpp"

namespace maskbench {

namespace {

void append(std::vector<Metric>& to, std::vector<Metric> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::string noise_source(const RunSpec& spec) {
  if (find_method(spec.method).os_random) return "os";
  if (!method_uses(spec.method, "privacy.noise_key")) return "none";
  if (spec.privacy.zero_noise) return "off";
  const bool is_aes = spec.noise.generator == Generator::aes;
  if (spec.privacy.noise_key == NoiseKey::os)
    return is_aes ? "os: aes with a 128-bit key"
                  : "os: philox with a 64-bit key, not cryptographic";
  return is_aes ? "seed: aes" : "seed";
}

PartyKey party_key(const RunSpec& spec) {
  const Generator generator = spec.noise.generator;
  if (spec.privacy.noise_key == NoiseKey::os) return PartyKey::from_os(generator);
  return {derive_seed(noise_key(spec), "noise"), generator};
}

RunResult execute(const RunSpec& spec, const ExecuteContext& context) {
  ThreadPool pool(context.threads);
  const auto data = prepare(spec, context.data_dir, pool);
  reset_peak_memory();
  const uint64_t seed = noise_key(spec);
  const Method& method = find_method(spec.method);
  const TrainInput input{method,   spec, data->ap,        data->train_labels,
                         data->pp, pool, party_key(spec), party_key(spec),
                         seed};
  TrainHooks hooks;
  hooks.stop = [&] { return context.stop != nullptr && context.stop->load(); };
  hooks.on_tree = [&](int round) {
    if (context.on_tree) context.on_tree(round + 1, spec.train.rounds);
  };
  Records records;
  keep_for_judge(spec, records);
  TrainResult result = train(input, records, hooks);
  if (result.stopped) throw Interrupted();
  const RandomKey query_key = derive_key(input.pp_key, "query");
  const std::vector<Metric> training =
      training_metrics(spec, *data, result, query_key, pool);  // before more memory
  if (!context.model_dir.empty()) {
    result.model.objective = spec.train.objective;
    result.model.ap_features = data->ap_features;
    result.model.pp_features = data->pp_features;
    save_model(result.model, context.model_dir);
  }

  RunResult out;
  out.provenance = {data->source, data->sha256, result.backend, noise_source(spec)};
  append(out.metrics, test_metrics(spec, *data, result.model, query_key, pool));
  append(out.metrics, training);
  append(out.metrics, wire_metrics(records.tape));
  append(out.metrics, communication_metrics(spec, data->pp));
  append(out.metrics, result.metrics);
  if (method.probe != nullptr)
    append(out.metrics, method.probe({spec, data->ap, data->train_labels, data->pp, result.model,
                                      records.of(Party::pp), seed, pool}));
  append(
      out.metrics,
      privacy_metrics({spec.privacy.as_read(), budget_of(spec.privacy, data->train_labels.size()),
                       std::move(result.ledgers[0]), std::move(result.ledgers[1])}));
  append(out.metrics, attack_metrics(spec, *data, records, pool, seed, context.on_attack));
  return out;
}

}  // namespace maskbench
