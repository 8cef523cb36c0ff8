#include "harness/trees/predict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
#include "harness/base/party_key.hpp"
#include "harness/base/sha256.hpp"
#include "harness/party/align.hpp"
#include "harness/party/greeting.hpp"
#include "harness/party/joint.hpp"
#include "harness/party/run.hpp"
#include "harness/party/table.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/trees/metrics.hpp"
#include "harness/trees/model_io.hpp"
#include "kernels/math.hpp"

namespace maskbench {

namespace {

std::vector<std::string> text_columns(const std::vector<FeatureInfo>& features) {
  std::vector<std::string> names;
  for (const FeatureInfo& feature : features) {
    if (!feature.categories.empty()) names.push_back(feature.name);
  }
  return names;
}

std::string quoted(const std::string& id) {
  std::string out = "\"";
  for (const char c : id) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

void write_predictions(const PartyJob& job, const PartyTable& table, const Model& model,
                       const std::vector<float>& margins) {
  const bool regression = model.objective == Objective::regression;
  std::string text = regression ? "id,prediction\n" : "id,margin,probability\n";
  for (size_t row = 0; row < margins.size(); ++row) {
    text += quoted(table.ids[row]) + fmt::format(",{}", margins[row]);
    if (!regression) text += fmt::format(",{}", sigmoid_f32(margins[row]));
    text += '\n';
  }
  Folder::made(job.out).write("predictions.csv", ".predictions.csv.tmp", text);
  const bool labelled = !std::isnan(table.data.labels.front());
  const auto quality = regression ? rmse : auc;
  fmt::print("{} rows{}\npredictions: {}/predictions.csv\n", margins.size(),
             labelled ? fmt::format(", {} {:.4f}", regression ? "RMSE" : "AUC",
                                    quality(margins, table.data.labels))
                      : "",
             job.out);
}

}  // namespace

void predict_party(const PartyJob& job) {
  const bool is_ap = job.role == Party::ap;
  const Model model = load_model_part(job.model, job.role);
  const auto& features = is_ap ? model.ap_features : model.pp_features;
  ThreadPool pool(job.threads);
  TableOptions options = table_options(job.role, job.spec.data);
  options.regression = model.objective == Objective::regression;
  options.label_required = false;
  options.text_columns = text_columns(features);
  const PartyTable table = read_table(job.data, options, pool);
  std::vector<float> margins(table.ids.size(), model.base_margin);
  talk_with_peer(job, [&](StreamLink&, Channel& setup) {
    greet(setup, {kProtocolVersion, job.role, "predict", git_commit(), "", false, {}, 0, "", ""});
    is_ap ? align_as_active(setup, table.ids) : align_as_passive(setup, table.ids);
    if (!is_ap)  // the noise on its answers, if there is any, is fresh each time
      return send_answers(setup, answers_by_values(model, table.data, fresh_query_key()));
    const RuleBits own{table.ids.size(), model.ap_rules.size(),
                       rule_bits(model.ap_rules, features, table.data)};
    const PassiveAnswers theirs = receive_answers(setup, margins.size(), model.trees);
    if (theirs.kind != PassiveAnswers::Kind::none && !model.pp_score)
      throw ProtocolError("PP answers by a model of its own, but AP's part knows of none");
    if (model.pp_score) add_scores(theirs, model.pp_score->weight, margins);
    for (const Tree& tree : model.trees) add_tree(tree, own, theirs.bits, margins);
  });
  if (is_ap) write_predictions(job, table, model, margins);
}

}  // namespace maskbench
