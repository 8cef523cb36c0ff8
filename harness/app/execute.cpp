#include "harness/app/execute.hpp"

#include <sys/random.h>

#include "harness/app/attack_run.hpp"
#include "harness/app/catalog.hpp"
#include "harness/app/communication.hpp"
#include "harness/app/prepare.hpp"
#include "harness/app/run_metrics.hpp"
#include "harness/core/budget.hpp"
#include "harness/core/error.hpp"
#include "harness/core/metrics.hpp"
#include "harness/core/model_io.hpp"
#include "harness/core/random.hpp"

namespace maskbench {

namespace {

uint64_t os_random() {
  uint64_t key = 0;
  if (getrandom(&key, sizeof key, 0) != sizeof key) throw Error("the system gives no random bytes");
  return key;
}

// Where the protocol's randomness comes from; "off" if it was asked to have none.
std::string noise_source(const RunSpec& spec) {
  if (find_method(spec.method).os_random) return "os";
  if (!method_uses(spec.method, "privacy.noise_key")) return "none";
  return spec.privacy.zero_noise ? "off" : spec.privacy.noise_key;
}

void append(std::vector<Metric>& to, std::vector<Metric> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

RunResult execute(const RunSpec& spec, const ExecuteContext& context) {
  ThreadPool pool(context.threads);
  const auto data = prepare(spec, context.data_dir, pool);
  reset_peak_memory();
  const uint64_t seed = run_seed(spec);
  const PrivacySpec& budget = spec.privacy;
  privacy::PrivacyAccountant accountant(
      reading_of(budget),
      {budget.eps_ap, budget.delta_ap, budget.eps_pp, delta_pp(budget, data->train_labels.size())});
  const uint64_t noise_key = budget.noise_key == "os" ? os_random() : derive_seed(seed, "noise");
  Method method =
      find_method(spec.method)
          .factory({spec, data->ap, data->train_labels, data->pp, pool, noise_key, accountant});

  const std::string backend = method.ap->backend();
  if (spec.backend == "cuda" && !backend.starts_with("cuda")) {
    throw Error("method '" + spec.method + "' has no CUDA path; set backend to cpu or auto");
  }

  const bool random_base = spec.train.base_score == "random";
  const float base = initial_margins(spec.train, data->train_labels, seed).front();
  Judge judge(spec, *data, pool, random_base ? 0.0f : base);
  TrainHooks hooks;
  hooks.stop = [&] { return context.stop != nullptr && context.stop->load(); };
  hooks.on_tree = [&](int round, const Tree& tree, double) {
    judge.after_tree(round, tree, method);
    if (context.on_tree) context.on_tree(round + 1, spec.train.rounds);
  };
  Wire wire;
  keep_for_attack(spec, wire);
  TrainResult result = train_model(spec.train, data->train_labels, seed, method, wire, pool, hooks);
  if (result.stopped) throw Interrupted();
  if (!context.model_dir.empty()) {
    result.model.objective = spec.train.objective;
    result.model.ap_features = data->ap_features;
    result.model.pp_features = data->pp_features;
    save_model(result.model, context.model_dir);
  }

  RunResult out;
  out.provenance = {data->source, data->sha256, backend, noise_source(spec)};
  append(out.metrics, judge.metrics());
  append(out.metrics, training_metrics(spec, *data, result));
  append(out.metrics, wire_metrics(wire));
  append(out.metrics, communication_metrics(spec, data->pp));
  append(out.metrics, method.ap->metrics());
  append(out.metrics, method.pp->metrics());
  append(out.metrics, privacy_metrics(accountant));
  append(out.metrics, attack_metrics(spec, *data, wire, pool, seed, context.on_attack));
  return out;
}

}  // namespace maskbench
