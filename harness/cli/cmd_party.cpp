#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/number_between.hpp"
#include "harness/config/config.hpp"
#include "harness/party/run.hpp"
#include "harness/sweep/machine.hpp"

namespace maskbench {
namespace {

struct PartyArgs {
  std::string role, config, data, listen, connect, tls, out, model;
  std::vector<std::string> overrides;
  std::string scale = "full";
  bool plaintext = false;
  bool resume = false;
  bool predict = false;
  int threads = 0;  // 0: all processors
  double wait = 60, timeout = 600;
};

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

// The config's one run.
void take_run(const PartyArgs& args, PartyJob& job) {
  const Plan plan = load_plan(args.config, {args.overrides, args.scale == "small", ""});
  if (plan.jobs.size() != 1)
    throw Error(
        fmt::format("{}: has {} runs; two parties do one at a time: choose it by --set, "
                    "e.g. --set method=masked --set repeats=1",
                    args.config, plan.jobs.size()));
  job.spec = plan.jobs[0].spec;
  job.group = plan.jobs[0].group;
  make_distributed(job.spec);
}

void party(const PartyArgs& args) {
  PartyJob job;
  job.role = args.role == "ap" ? Party::ap : Party::pp;
  job.data = args.data;
  job.out = args.out;
  job.model = args.model;
  job.threads = args.threads > 0 ? args.threads : usable_processors();
  job.resume = args.resume;
  job.patience = milliseconds_of(args.timeout);
  job.endpoint = {job.role,
                  args.listen.empty() ? args.connect : args.listen,
                  !args.listen.empty(),
                  args.tls,
                  args.plaintext,
                  milliseconds_of(args.wait)};
  if (!built_with_grpc()) connect_peer(job.endpoint);  // says what is missing
  if (args.predict) {
    if (args.model.empty()) throw Error("--predict wants --model DIR: OUT/model of the training");
    if (!args.config.empty()) take_run(args, job);  // names the columns of labels and ids
    return predict_party(job);
  }
  if (args.config.empty()) throw Error("no CONFIG; a training needs one (see --help)");
  take_run(args, job);
  train_party(job);
  fmt::print("{} is done: {}\n", name_of(job.role), job.out);
}

}  // namespace

void add_party(CLI::App& app) {
  auto args = std::make_shared<PartyArgs>();
  auto* command = app.add_subcommand(
      "party", "Be one of the two parties of a training, the other being another process");
  command->add_option("config", args->config, "YAML file with one run; the same for both parties")
      ->type_name("CONFIG");
  command->add_option("--role", args->role, "ap: labels and features, pp: features only")
      ->required()
      ->check(CLI::IsMember({"ap", "pp"}));
  command
      ->add_option("--data", args->data, "this party's CSV: id and its features; AP's: label too")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", args->out, "this party's own results")->required()->type_name("DIR");
  auto* line = command->add_option_group("connection", "One listens, the other connects");
  line->add_option("--listen", args->listen, "wait for the other here")->type_name("HOST:PORT");
  line->add_option("--connect", args->connect, "the other's address")->type_name("HOST:PORT");
  line->require_option(1);
  command->add_option("--tls", args->tls, "folder with ca.pem, cert.pem, key.pem")
      ->type_name("DIR");
  command->add_flag("--plaintext", args->plaintext, "no TLS; on loopback only");
  command->add_option("--set", args->overrides, "set a key, as for run; the same for both parties")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command->add_option("--scale", args->scale, "small applies the config's section `small`")
      ->check(CLI::IsMember({"full", "small"}))
      ->capture_default_str();
  command->add_flag("--resume", args->resume,
                    "go on after the last tree that both parties have in their --out");
  command->add_flag(
      "--predict", args->predict,
      "predict the rows of --data by --model instead; data.label, data.id and data.drop "
      "of a CONFIG name the columns");
  command->add_option("--model", args->model, "predict: this party's OUT/model")->type_name("DIR");
  command->add_option("--threads", args->threads, "threads [all processors]")
      ->check(CLI::Range(1, 4096));
  command->add_option("--wait", args->wait, "seconds until the other must be there")
      ->check(number_between(0.1, 86400))
      ->capture_default_str();
  command->add_option("--timeout", args->timeout, "seconds until the next message must be there")
      ->check(number_between(0.1, 86400))
      ->capture_default_str();
  command->callback([args] { party(*args); });
}

}  // namespace maskbench
