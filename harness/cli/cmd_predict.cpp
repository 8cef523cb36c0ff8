#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>

#include "harness/base/error.hpp"
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
};

void write_predictions(const std::string& path, const Model& model,
                       const std::vector<float>& margins) {
  std::FILE* file = path.empty() ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) throw Error(fmt::format("{}: cannot write", path));
  const bool regression = model.objective == Objective::regression;
  fmt::print(file, "{}\n", regression ? "prediction" : "margin,probability");
  for (float margin : margins) {
    if (regression) {
      fmt::print(file, "{}\n", margin);
    } else {
      fmt::print(file, "{},{}\n", margin, sigmoid_f32(margin));
    }
  }
  const bool failed = std::fflush(file) != 0 || std::ferror(file) != 0;
  if (file != stdout) std::fclose(file);
  if (failed) throw Error(fmt::format("{}: cannot write; is the disk full?", path));
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
  const Model model = load_model(args.model);
  ThreadPool pool(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  const bool regression = model.objective == Objective::regression;
  const Dataset data = read_csv(
      args.data,
      {.regression = regression, .label_required = false, .text_columns = text_columns(model)},
      pool);
  std::random_device system;  // of the noise on PP's answers, if there is any
  const std::vector<float> margins = predict_margins(model, data, {system(), system()});
  write_predictions(args.out, model, margins);
  const bool labelled = !data.labels.empty() && !std::isnan(data.labels.front());
  if (!labelled) {
    fmt::print(stderr, "{} rows\n", margins.size());
    return;
  }
  const double quality = regression ? rmse(margins, data.labels) : auc(margins, data.labels);
  fmt::print(stderr, "{} rows, {} {:.4f}\n", margins.size(), regression ? "RMSE" : "AUC", quality);
}

}  // namespace

void add_predict(CLI::App& app) {
  auto args = std::make_shared<PredictArgs>();
  auto* command = app.add_subcommand(
      "predict", "Predict the rows of a CSV with a model saved by run --save-models");
  command->add_option("MODEL", args->model, "folder with ap.json and pp.json")->required();
  command->add_option("CSV", args->data, "rows in the format of a data set (.csv or .csv.gz)")
      ->required();
  command->add_option("--out", args->out, "file to write [standard output]")->type_name("FILE");
  command->callback([args] { predict(*args); });
}

}  // namespace maskbench
