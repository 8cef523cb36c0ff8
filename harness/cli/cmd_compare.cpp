#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.hpp"
#include "harness/cli/scripts.hpp"

namespace maskbench {
namespace {

struct CompareArgs {
  std::string a, b;
  std::string metric = "test_auc";
  std::string results = "results";
  Scripts scripts;
};

}  // namespace

void add_compare(CLI::App& app) {
  auto args = std::make_shared<CompareArgs>();
  auto* command = app.add_subcommand(
      "compare", "Compare two methods of one results folder, or two results folders, by a metric");
  command->add_option("A", args->a, "a method, or a results folder")->required();
  command->add_option("B", args->b, "another")->required();
  command->add_option("--metric", args->metric, "what of the results (show --metrics lists all)")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--results", args->results, "two methods: the folder that has both")
      ->capture_default_str()
      ->type_name("DIR");
  args->scripts.add_to(*command);
  command->callback([args] {
    args->scripts.run("compare.py",
                      {args->a, args->b, "--metric", args->metric, "--results", args->results});
  });
}

}  // namespace maskbench
