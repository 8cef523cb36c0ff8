#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/number_between.hpp"
#include "harness/config/schema.hpp"
#include "harness/privacy/calibration_report.hpp"

namespace maskbench {

namespace {

struct CalibrateArgs {
  privacy::CalibrationQuery query;
  std::string reading = "paper";
  std::string scope, unit, composition, mu, theorem3;  // empty: the reading's
  bool json = false;
};

privacy::Reading reading_of(const CalibrateArgs& args) {
  using namespace privacy;
  Reading reading = preset_reading(parse_preset(args.reading), Family::masked);
  if (!args.scope.empty()) reading.scope = parse_scope(args.scope);
  if (!args.unit.empty()) reading.unit = parse_unit(args.unit);
  if (!args.composition.empty()) reading.composition = parse_composition(args.composition);
  if (!args.mu.empty()) reading.mu = parse_mu(args.mu);
  if (!args.theorem3.empty()) reading.theorem3 = parse_theorem3(args.theorem3);
  return reading;
}

void calibrate(CalibrateArgs args) {
  args.query.budget.reading = reading_of(args);
  const privacy::CalibrationReport report = privacy::make_calibration_report(args.query);
  fmt::print("{}\n", args.json ? privacy::to_json(report) : privacy::to_table(report));
  if (report.feasible) return;
  if (!args.json) fmt::print(stderr, "maskbench: {}\n", report.reason);
  throw CLI::RuntimeError(1);
}

// What the key of a config may be, the option may be.
CLI::Option* like(const char* key, CLI::Option* option) {
  return option->check(
      [key](const std::string& text) -> std::string {
        RunSpec scratch;
        try {
          set_key(scratch, *find_key(key), text);
        } catch (const Error& error) {
          return error.what();
        }
        return "";
      },
      "");
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto args = std::make_shared<CalibrateArgs>();
  privacy::MaskedBudget& budget = args->query.budget;
  budget.n = 32651;
  budget.ap = budget.pp = {60, 6, 0};
  auto* command = app.add_subcommand(
      "calibrate",
      "The noise that a budget asks of masked, and what it is worth under every reading");
  like("privacy.eps_ap",
       command->add_option("--eps-ap", budget.eps_ap, "AP's budget")->capture_default_str());
  like("privacy.delta_ap",
       command->add_option("--delta-ap", budget.delta_ap, "AP's delta")->capture_default_str());
  like("privacy.eps_pp",
       command->add_option("--eps-pp", budget.eps_pp, "PP's budget")->capture_default_str());
  command->add_option("--delta-pp", budget.delta_pp, "PP's delta; 0: 1/n")
      ->check(number_between(0, 1))
      ->capture_default_str();
  const CLI::Range many(1, 1'000'000'000);
  command->add_option("--n", budget.n, "training rows")->check(many)->capture_default_str();
  command
      ->add_option("--n-active", args->query.n_active, "active rows of the candidate; 0: half of n")
      ->check(CLI::NonNegativeNumber);
  like(
      "privacy.W",
      command->add_option("--W,--w", budget.W, "noise vectors a candidate")->capture_default_str());
  like("privacy.ratio",
       command->add_option("--ratio", budget.ratio,
                           "fix R = sigma1^2/sigma2^2; 0: solve it from PP's budget"));
  command->add_option("--candidates", args->query.candidates, "of PP, a node")
      ->check(many)
      ->capture_default_str();
  like("train.rounds",
       command->add_option("--rounds", budget.ap.rounds, "trees")->capture_default_str());
  like("train.max_depth",
       command->add_option("--depth", budget.ap.depth, "levels a tree")->capture_default_str());
  command->add_option("--reading", args->reading, "paper | message | equal | sound")
      ->capture_default_str();
  command->add_option("--scope", args->scope, "message | tree | level | training [the reading's]");
  command->add_option("--unit", args->unit, "record | vector [the reading's]");
  command->add_option("--composition", args->composition,
                      "basic | advanced | gdp | pld [the reading's]");
  command->add_option("--mu", args->mu, "paper | label | range [the reading's]");
  command->add_option("--theorem3", args->theorem3, "printed | tight [the reading's]");
  command->add_flag("--json", args->json, "print JSON");
  command->callback([args] {
    args->query.budget.pp = args->query.budget.ap;
    calibrate(*args);
  });
}

}  // namespace maskbench
