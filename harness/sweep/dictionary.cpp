#include "harness/sweep/dictionary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "harness/base/text.hpp"
#include "harness/config/schema.hpp"
#include "harness/sweep/rows.hpp"
#include "harness/sweep/store.hpp"

namespace maskbench {
namespace {

const std::vector<std::string> kReading = {"scope", "privacy_unit", "composition", "mu",
                                           "theorem3"};
// Of an eps that the accountant computed.
const std::vector<std::string> kClaim = {"party",       "view", "scope",    "privacy_unit",
                                         "composition", "mu",   "theorem3", "delta"};

// Columns that are no key of the config.
std::vector<ColumnEntry> own_columns() {
  const std::string runs = Store::kRuns, numbers = Store::kNumbers, metric = "as the metric";
  return {
      {runs, "run", "name of the run: a hash of its settings and of its data", "", "config"},
      {runs, "config", "name of the config that asked for it; a run that two ask for has two lines",
       "", "config"},
      {runs, "repeat", "which repeat of its setting it is, from 0", "", "config"},
      {runs, "source", "file or synthetic: where the data came from", "", "judge/prepare"},
      {runs, "backend", "what computed", "", "judge/execute"},
      {runs, "seed", "of this repeat (seed)", "", "config"},
      {runs, "seed_partition", "decides which features AP holds", "", "config"},
      {runs, "seed_split", "decides which rows are used and which of them test", "", "config"},
      {runs, "seed_noise", "decides both parties' randomness", "", "config"},
      {runs, "noise_source", "none, off, seed or os, and what draws with its key", "",
       "judge/execute"},
      {runs, "sha256", "of the data file or of the generator's parameters", "", "judge/prepare"},
      {runs, "commit", "of the program; -dirty: changed since", "", "sweep/machine"},
      {runs, "cpu", "name of the processor", "", "sweep/machine"},
      {runs, "threads", "that the run could use", "", "sweep/machine"},
      {runs, "compiler", "that built the program", "", "sweep/machine"},
      {runs, "status", "ok, or error: then the run has no numbers", "", "sweep"},
      {runs, "reason", "why it failed", "", "sweep"},
      {numbers, "run", "whose number it is: `run` of runs.csv", "", "config"},
      {numbers, "round", "after which round (tree), from 0; empty: of the whole run", "", metric},
      {numbers, "metric", "what was measured, see below", "", metric},
      {numbers, "party", "AP or PP: who sent or computed it, or whose data it is about", "",
       metric},
      {numbers, "kind", "kind of message, as in docs/protocol.md", "", metric},
      {numbers, "view", "stated, pair, receiver or wire: what the reader of the messages has", "",
       metric},
      {numbers, "queries", "answers a row that are averaged", "", metric},
      {numbers, "scope", "message, tree, level or training: what an eps covers", "", metric},
      {numbers, "privacy_unit", "record or vector: what a neighbour may change", "", metric},
      {numbers, "composition", "basic, advanced, gdp or pld: how messages add up", "", metric},
      {numbers, "mu", "paper, label or range: how far g may move", "", metric},
      {numbers, "theorem3", "printed or tight: how PP's messages are counted", "", metric},
      {numbers, "delta", "that an eps holds with", "", metric},
      {numbers, "value", "the number; inf: infinite; empty unless the status is ok", "see unit",
       metric},
      {numbers, "unit", "of the value; empty: a plain number", "", metric},
      {numbers, "status", "ok, or skip: it could not be measured", "", metric},
      {numbers, "reason", "why it was skipped, or what the number rests on", "", metric},
  };
}

// Of keys that count something.
const std::map<std::string, std::string> kKeyUnits = {{"data.rows", "rows"},
                                                      {"masked.memory_limit", "bytes"},
                                                      {"paillier.key_bits", "bits"},
                                                      {"attack.train_rows", "rows"}};

std::vector<MetricEntry> all_metrics() {
  const std::string test = "judge/run_metrics", score = "judge/attack_score";
  return {
      {"run_seconds", "s", {}, "run", "sweep", "wall time of the whole run, data and attack too"},
      {"test_auc", "", {}, "run and round", test, "area under the ROC curve on the test rows"},
      {"test_logloss", "nats", {}, "run and round", test, "mean log loss on the test rows"},
      {"test_accuracy", "", {}, "run and round", test, "share of test rows with the right label"},
      {"test_rmse",
       "",
       {},
       "run and round",
       test,
       "regression: root mean squared error, test rows"},
      {"train_auc", "", {}, "run", test, "area under the ROC curve on the training rows"},
      {"trees", "", {}, "run", test, "trees that were grown"},
      {"seconds_per_tree",
       "s",
       {},
       "run",
       test,
       "mean time of a tree: both parties' computing and waiting, no evaluation"},
      {"seconds_per_tree_median", "s", {}, "run", test, "its median over the trees"},
      {"party_seconds_per_tree", "s", {"party"}, "run", test, "mean computing time of one party"},
      {"waiting_seconds_per_tree",
       "s",
       {},
       "run",
       test,
       "mean time neither computed: the line between two processes"},
      {"tree_seconds", "s", {}, "round", test, "time of this tree"},
      {"peak_rss", "bytes", {}, "run", test, "most memory while training"},
      {"party_peak_rss",
       "bytes",
       {"party"},
       "run",
       "party/train",
       "two processes: most memory of a party's own"},
      {"wire_bytes", "bytes", {}, "run", test, "all that crossed between the parties"},
      {"message_bytes",
       "bytes",
       {"party", "kind"},
       "run",
       test,
       "of it, what the party sent in messages of this kind"},
      {"wire_formula_bytes",
       "bytes",
       {},
       "run",
       "judge/communication",
       "the paper's formula for the bytes of one node (runs of a single node)"},
      {"wire_own_formula_bytes",
       "bytes",
       {},
       "run",
       "judge/communication",
       "what our own encoding of that node must come to"},
      {"wire_candidates", "", {}, "run", "judge/communication", "PP's candidates of that node"},
      {"eps", "", kClaim, "run", test,
       "what the run's messages cost the party under the run's own reading"},
      {"eps_training", "", kClaim, "run", test,
       "the same messages of the whole training, added up exactly (view stated)"},
      {"eps_other", "", kClaim, "run", test,
       "under another reading (view stated); left out where it is infinite or 0 like eps and for "
       "the same reason"},
      {"eps_query",
       "a query",
       {"party"},
       "run",
       "baselines/late_fusion",
       "what one answer of PP costs when the model is used"},
      {"eps_distance",
       "a step",
       {"party"},
       "run",
       "baselines/opboost",
       "eps for one step between buckets in every feature at once"},
      {"noise_ratio_R", "", {}, "run", "masked/active", "R = sigma1^2/sigma2^2 of PP's noise"},
      {"noise_q",
       "",
       {},
       "run",
       "masked/active",
       "q = m^2 of one message: the squared sensitivity over the noise"},
      {"noise_kappa_half",
       "",
       {},
       "run",
       "masked/active",
       "deviation of the noise on a sum if half of all rows are active"},
      {"delta_pp_printed",
       "",
       {},
       "run",
       "masked/active",
       "delta of one message to AP by theorem 3 as printed"},
      {"delta_pp_tight", "", {}, "run", "masked/active", "the same exactly, in both directions"},
      {"noise_sigma", "", {}, "run", "baselines/ldp", "deviation of the noise on every g and h"},
      {"key_bits", "bits", {}, "run", "baselines/paillier_protocol", "length of the modulus"},
      {"true_argmax_share",
       "",
       {},
       "run",
       "masked/probe",
       "share of nodes where PP offered the split that is best without noise"},
      {"gain_lost",
       "",
       {},
       "run",
       "masked/probe",
       "share of the best splits' gain that the offered ones do not have"},
      {"thm1_deviation_share",
       "",
       {},
       "run",
       "masked/probe",
       "share of watched splits whose score moved by theorem 1's alpha or more"},
      {"thm1_bound", "", {}, "run", "masked/probe", "what theorem 1 allows for that share"},
      {"query_bit_auc",
       "",
       {"queries"},
       "run",
       "baselines/query_probe",
       "how well PP's answers order rows by its splitting vectors, mean over them"},
      {"query_bit_auc_max",
       "",
       {"queries"},
       "run",
       "baselines/query_probe",
       "the same of the vector that is told best"},
      {"attack",
       "",
       {},
       "run",
       "judge/attack_run",
       "stands with status skip for all numbers of an attack that could not be made"},
      {"attack_accuracy", "", {}, "run", score, "share of the guessed labels that are right"},
      {"attack_balanced_accuracy", "", {}, "run", score, "the mean of both classes' shares"},
      {"attack_auc", "", {}, "run", score, "area under the ROC curve of the attack's scores"},
      {"attack_tpr_at_1pct_fpr",
       "",
       {},
       "run",
       score,
       "share of positives found at 1 % false alarms"},
      {"attack_floor_accuracy",
       "",
       {},
       "run",
       score,
       "accuracy of always guessing the larger class"},
      {"attack_rows", "rows", {}, "run", score, "rows whose label was guessed"},
      {"attack_train_rows",
       "rows",
       {},
       "run",
       "attacks/label_nn",
       "rows that the attack trained on"},
      {"attack_epochs", "", {}, "run", "attacks/label_nn", "epochs that it trained"},
      {"attack_inputs", "", {}, "run", "attacks/label_nn", "inputs of its network"},
      {"attack_residue_share",
       "",
       {},
       "run",
       "attacks/label_residue",
       "share of messages whose residues told a modulus"},
      {"attack_seconds", "s", {}, "run", "judge/attack_run", "time of the attack"},
      {"bit_match", "", {}, "run", score, "share of splitting-vector bits that are right"},
      {"balanced_bit_match", "", {}, "run", score, "the same, both values of a bit alike"},
      {"bit_auc", "", {}, "run", score, "area under the ROC curve of the bits' probabilities"},
      {"bit_match_floor", "", {}, "run", score, "bit match of always guessing the larger side"},
      {"bit_vectors", "", {}, "run", score, "splitting vectors that were guessed"},
      {"audit_eps",
       "",
       {"party", "view", "delta"},
       "run",
       "judge/audit_run",
       "lower bound (95 %) on the eps of a message, by telling two inputs apart"},
      {"audit_claim", "", kClaim, "run", "judge/audit_run", "what the accountant claims there"},
      {"transcript_eps",
       "",
       {"party", "delta"},
       "run",
       "judge/transcript_run",
       "lower bound (95 %) on the eps of a training, by all that crossed"},
      {"transcript_claim", "", kClaim, "run", "judge/transcript_run",
       "what the accountant claims for all that crossed (view wire) or is covered (stated)"},
  };
}

ColumnEntry key_column(const Key& key) {
  const std::string column = column_of_key(key.name);
  const auto unit = kKeyUnits.find(key.name);
  return {Store::kRuns, column, column == key.name ? key.help : key.help + " (" + key.name + ")",
          unit == kKeyUnits.end() ? "" : unit->second, "config"};
}

// In the order of the tables.
std::vector<ColumnEntry> all_columns() {
  std::vector<ColumnEntry> known = own_columns(), out;
  for (const auto& key : schema()) known.push_back(key_column(key));
  const auto add = [&](const char* table, const Columns& columns) {
    for (const auto& name : columns.names()) {
      const auto entry = std::ranges::find_if(
          known, [&](const ColumnEntry& e) { return e.table == table && e.name == name; });
      if (entry == known.end()) throw std::logic_error("not in the dictionary: " + name);
      out.push_back(*entry);
    }
  };
  add(Store::kRuns, run_columns());
  add(Store::kNumbers, number_columns());
  return out;
}

std::vector<std::string> filled(const Subject& of) {
  std::vector<std::string> out;
  if (of.party) out.emplace_back("party");
  if (!of.kind.empty()) out.emplace_back("kind");
  if (!of.view.empty()) out.emplace_back("view");
  if (of.queries > 0) out.emplace_back("queries");
  if (of.reading) out.insert(out.end(), kReading.begin(), kReading.end());
  if (of.delta) out.emplace_back("delta");
  return out;
}

}  // namespace

const std::vector<ColumnEntry>& column_entries() {
  static const auto entries = all_columns();
  return entries;
}

const std::vector<MetricEntry>& metric_entries() {
  static const auto entries = all_metrics();
  return entries;
}

std::string undocumented(const Metric& metric) {
  const auto entry = std::ranges::find(metric_entries(), metric.name, &MetricEntry::name);
  if (entry == metric_entries().end()) return metric.name + " is not in the dictionary";
  const auto differs = [&](const char* what, const std::string& is, const std::string& said) {
    return fmt::format("{}: {} '{}', in the dictionary '{}'", metric.name, what, is, said);
  };
  const std::string columns = join(filled(metric.of), ", "), listed = join(entry->by, ", ");
  if (columns != listed) return differs("columns", columns, listed);
  if (metric.unit != entry->unit) return differs("unit", metric.unit, entry->unit);
  const std::string each = metric.round >= 0 ? "round" : "run";
  if (entry->each.find(each) == std::string::npos) return differs("for each", each, entry->each);
  return "";
}

}  // namespace maskbench
