#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/party_key.hpp"
#include "harness/cli/commands.hpp"
#include "harness/data/csv.hpp"
#include "harness/trees/metrics.hpp"
#include "harness/trees/model_io.hpp"
#include "harness/trees/predict.hpp"
#include "kernels/math.hpp"

namespace maskbench {

namespace {

struct PredictArgs {
  std::string model, data, out;
  std::string label;  // empty: label, if there is one
  std::vector<std::string> drop;
};

std::string predictions(const Model& model, const std::vector<float>& margins) {
  const bool regression = model.objective == Objective::regression;
  std::string text = regression ? "prediction\n" : "margin,probability\n";
  for (float margin : margins) {
    const auto end = std::back_inserter(text);
    if (regression) {
      fmt::format_to(end, "{}\n", margin);
    } else {
      fmt::format_to(end, "{},{}\n", margin, sigmoid_f32(margin));
    }
  }
  return text;
}

void keep_the_input(const PredictArgs& args) {
  for (const auto& input : {args.data, args.model + "/ap.json", args.model + "/pp.json"}) {
    std::error_code missing;
    if (std::filesystem::equivalent(args.out, input, missing))
      throw Error("--out " + args.out + " is an input; write to another file");
  }
}

// Labels of one class only have no AUC.
std::string quality_text(const Model& model, const std::vector<float>& margins,
                         const std::vector<float>& labels) {
  const auto text = [](const char* name, double value) {
    return std::isfinite(value) ? fmt::format(", {} {:.4f}", name, value)
                                : fmt::format(", no {}: it is not defined for these labels", name);
  };
  if (labels.empty() || std::isnan(labels.front())) return "";
  return model.objective == Objective::regression ? text("RMSE", rmse(margins, labels))
                                                  : text("AUC", auc(margins, labels));
}

std::vector<std::string> text_columns(const Model& model) {
  std::vector<std::string> names;
  for (const auto* features : {&model.ap_features, &model.pp_features}) {
    for (const FeatureInfo& feature : *features) {
      if (!feature.categories.empty()) names.push_back(feature.name);
    }
  }
  return names;
}

void predict(const PredictArgs& args) {
  if (!args.out.empty()) keep_the_input(args);
  const Model model = load_model(args.model);
  ThreadPool pool(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  const bool regression = model.objective == Objective::regression;
  const Dataset data = read_csv(args.data,
                                {.regression = regression,
                                 .label_required = !args.label.empty(),
                                 .text_columns = text_columns(model),
                                 .label = args.label.empty() ? "label" : args.label,
                                 .drop = args.drop},
                                pool);
  const std::vector<float> margins = predict_margins(model, data, fresh_query_key());
  const std::string text = predictions(model, margins);
  if (args.out.empty()) {
    const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written != text.size() || std::fflush(stdout) != 0) return;  // run_app says so
  } else {
    write_file(args.out, text);
  }
  fmt::print(stderr, "{} rows{}\n", margins.size(), quality_text(model, margins, data.labels));
}

}  // namespace

void add_predict(CLI::App& app) {
  auto args = std::make_shared<PredictArgs>();
  auto* command = app.add_subcommand(
      "predict", "Predict the rows of a CSV with a model saved by run --save-models");
  command->add_option("MODEL", args->model, "folder with ap.json and pp.json")->required();
  command->add_option("CSV", args->data, "rows in the format of a data set (.csv or .csv.gz)")
      ->required();
  command->add_option("--label", args->label, "the column of the labels [label, if there is one]")
      ->type_name("NAME");
  command->add_option("--drop", args->drop, "a column that is no feature, an id say")
      ->type_name("NAME");
  command->add_option("--out", args->out, "file to write [standard output]")->type_name("FILE");
  command->callback([args] { predict(*args); });
}

}  // namespace maskbench
