#include "harness/exchange/training.hpp"

#include <exception>
#include <functional>

#include "harness/exchange/in_process.hpp"

namespace maskbench {

namespace {

// How a party's program ended. A party that failed only because the other was gone is not to blame.
struct Ending {
  std::exception_ptr error;
  bool peer_left = false;
};

Ending ending_of(const std::function<void()>& program) {
  try {
    program();
  } catch (const PeerLeft&) {
    return {std::current_exception(), true};
  } catch (...) {
    return {std::current_exception(), false};
  }
  return {};
}

void rethrow_cause(const Ending& ap, const Ending& pp, bool stopped) {
  for (const Ending* ending : {&ap, &pp}) {
    if (ending->error && !ending->peer_left) std::rethrow_exception(ending->error);
  }
  if (ap.error) std::rethrow_exception(ap.error);
  if (pp.error && !stopped) std::rethrow_exception(pp.error);
}

std::vector<TreeTimes> tree_times(const std::vector<TreeSeconds>& ap,
                                  const std::vector<TreeSeconds>& pp) {
  std::vector<TreeTimes> out;
  for (size_t tree = 0; tree < ap.size(); ++tree) {
    const TreeSeconds other = tree < pp.size() ? pp[tree] : TreeSeconds{};
    out.push_back({ap[tree].computing, other.computing, ap[tree].delay + other.delay});
  }
  return out;
}

PricedBytes priced_bytes(const Channel& channel) {
  PricedBytes out;
  for (size_t k = 0; k < kKinds; ++k) {
    out.personal[k] = channel.personal_bytes(static_cast<Kind>(k));
    out.free[k] = channel.free_bytes(static_cast<Kind>(k));
  }
  return out;
}

TrainResult put_together(ActiveResult ap, PassiveResult pp) {
  TrainResult out;
  out.model.base_margin = ap.base_margin;
  out.model.trees = std::move(ap.trees);
  out.model.ap_rules = std::move(ap.rules);
  out.model.pp_rules = std::move(pp.rules);
  out.model.pp_score = std::move(pp.score);
  out.margins = std::move(ap.margins);
  out.seconds = tree_times(ap.seconds, pp.seconds);
  out.stopped = ap.stopped;
  out.backend = std::move(ap.backend);
  out.metrics = std::move(ap.metrics);
  out.metrics.insert(out.metrics.end(), pp.metrics.begin(), pp.metrics.end());
  return out;
}

}  // namespace

TrainResult train(const TrainInput& input, Records& records, const TrainHooks& hooks) {
  InProcess process(records.tape);
  const privacy::Unit unit = input.spec.privacy.unit;
  Channel ap_channel(Party::ap, process.link(Party::ap), unit);
  Channel pp_channel(Party::pp, process.link(Party::pp), unit);
  const auto compute = [&] {
    return input.compute ? input.compute() : Compute::choose(input.spec, input.pool, input.device);
  };
  const ActiveContext ap{{input.spec, input.ap, input.pool, input.ap_key, ap_channel,
                          records.of(Party::ap), compute()},
                         input.labels};
  const PassiveContext pp{
      input.spec, input.pp, input.pool, input.pp_key, pp_channel, records.of(Party::pp), compute()};
  ActiveResult ap_result;
  PassiveResult pp_result;
  Ending ap_end, pp_end;
  const auto active = [&] {
    ap_end =
        ending_of([&] { ap_result = run_active(*input.method.active(ap), ap, input.seed, hooks); });
  };
  const auto passive = [&] {
    pp_end = ending_of([&] { pp_result = run_passive(*input.method.passive(pp), pp); });
  };
  process.run(active, passive);
  rethrow_cause(ap_end, pp_end, ap_result.stopped);
  if (!ap_result.stopped) process.check_all_read();

  TrainResult out = put_together(std::move(ap_result), std::move(pp_result));
  out.ledgers = {ap_channel.ledger(), pp_channel.ledger()};
  out.priced = {priced_bytes(ap_channel), priced_bytes(pp_channel)};
  return out;
}

}  // namespace maskbench
