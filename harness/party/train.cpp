#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/base/error.hpp"
#include "harness/base/os_random.hpp"
#include "harness/base/random.hpp"
#include "harness/config/expand.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/communication.hpp"
#include "harness/judge/execute.hpp"
#include "harness/judge/prepare.hpp"
#include "harness/judge/run_metrics.hpp"
#include "harness/party/align.hpp"
#include "harness/party/greeting.hpp"
#include "harness/party/joint.hpp"
#include "harness/party/output.hpp"
#include "harness/party/progress.hpp"
#include "harness/party/table.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/trees/metrics.hpp"

namespace maskbench {

namespace {

void append(std::vector<Metric>& to, const std::vector<Metric>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

TableOptions training_table(const PartyJob& job) {
  TableOptions options = table_options(job.role, job.spec.data);
  options.regression = job.spec.train.is_regression();
  options.text_columns = job.spec.data.text_columns;
  return options;
}

// Everything about a training that does not depend on the role.
class Training {
 public:
  explicit Training(const PartyJob& job)
      : job_(job),
        pool_(job.threads),
        method_(find_method(job.spec.method)),
        table_(read_table(job.data, training_table(job), pool_)),
        progress_(job.out + "/progress"),
        begin_(std::chrono::steady_clock::now()) {
    if (!method_.unavailable.empty()) throw Error(method_.id + ": " + method_.unavailable);
    go_on_or_begin();
  }

  // Both parties go on after the trees that both have.
  Continuation in_step(Channel& setup, Channel& channel) {
    Greeting mine{
        kProtocolVersion, job_.role,          "train", git_commit(), canonical_text(job_.spec),
        job_.resume,      own_text_columns(), kept_,   run_.name,    run_.peer};
    const Greeting theirs = greet(setup, mine);
    meet(theirs.training);
    expect_text_columns(job_.spec.data.text_columns, mine, theirs);
    const int trees = std::min(kept_, theirs.trees);
    Continuation out;
    std::vector<privacy::Ledger> ledgers;
    Tape::Counts counts;
    for (int tree = 0; tree < trees; ++tree) {
      Progress::Kept kept = progress_.load(tree, job_.spec.privacy.unit);
      out.past.push_back(std::move(kept.tree));
      ledgers.push_back(std::move(kept.ledger));
      counts = kept.counts;
    }
    out.in_step = [this, trees, counts, ledgers = std::move(ledgers), &channel] {
      for (const privacy::Ledger& ledger : ledgers) channel.recall(ledger, trees);
      if (trees > 0) tape_.go_on_from(counts);
    };
    out.keep = [this, &channel](int tree, const PastTree& past) {
      progress_.keep(tree, past, channel.ledger(), tape_.counts());
    };
    if (trees > 0) fmt::print(stderr, "goes on after tree {}\n", trees);
    return out;
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  const PartyJob& job_;
  ThreadPool pool_;
  const Method& method_;
  PartyTable table_;
  Progress progress_;
  Progress::Run run_;
  int kept_ = 0;
  Tape tape_;
  Notebook notes_;

 private:
  // The other is the one of before, or there was none.
  void meet(const std::string& peer) {
    if (run_.peer == peer) return;
    run_.peer = peer;
    progress_.note(run_);
  }

  std::vector<std::string> own_text_columns() const {
    std::vector<std::string> own = job_.spec.data.text_columns;
    std::erase_if(own, [&](const std::string& name) {
      return std::ranges::find(table_.data.features, name, &Column::name) ==
             table_.data.features.end();
    });
    return own;
  }

  // A key of the seed is the same for both, as in one process; else each party draws its own. With
  // a secret key the test rows are drawn in secret too: by the public seed their choice, which is
  // by class, would tell PP of the labels.
  void go_on_or_begin() {
    const std::string config = canonical_text(job_.spec);
    const auto earlier = progress_.run();
    if (!earlier && has_output(job_.out))
      throw Error(job_.out + ": holds a finished training; take another --out");
    if (earlier && !job_.resume)
      throw Error(
          fmt::format("{}: holds a training that was cut short; --resume on both sides goes "
                      "on with it, or take another --out",
                      job_.out));
    if (earlier) {
      if (earlier->config != config || earlier->data_sha256 != table_.data.sha256)
        throw Error(
            fmt::format("{}: holds a training of another config or of other data; take "
                        "another --out",
                        job_.out));
      run_ = *earlier;
      kept_ = progress_.trees();
      return;
    }
    const bool secret = job_.spec.privacy.noise_key == NoiseKey::os;
    run_ = {config,
            table_.data.sha256,
            party_key(job_.spec),
            secret ? os_random() : split_key(job_.spec),
            fmt::format("{:016x}{:016x}", os_random(), os_random()),
            ""};
    progress_.begin(run_);
  }

  std::chrono::steady_clock::time_point begin_;
};

std::vector<int> all_features(const Dataset& data) {
  std::vector<int> out(data.features.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// AP's rows: those the run asks for, then split into training and test.
struct DrawnRows {
  Dataset data;
  RowPartition own;   // of `data`
  RowLists of_table;  // of the parties' tables
};

DrawnRows draw(const Training& training) {
  const RunSpec& spec = training.job_.spec;
  const Dataset& all = training.table_.data;
  const auto same = [&](float label) { return label == all.labels[0]; };
  if (std::ranges::all_of(all.labels, same))
    throw Error(
        fmt::format("{}: every label is {}; there is nothing to learn", all.path, all.labels[0]));
  std::vector<uint32_t> kept(all.rows());
  std::iota(kept.begin(), kept.end(), 0u);
  const uint64_t seed = training.run_.split_seed;
  if (spec.data.rows > 0) {
    const auto count = static_cast<size_t>(spec.data.rows);
    if (count > all.rows())
      throw Error(fmt::format("data.rows: {} of the {} rows of {}; take at most all", count,
                              all.rows(), all.path));
    kept = draw_rows(all.labels, count, !spec.train.is_regression(), seed, "subsample");
  }
  DrawnRows out{select_rows(all, kept), {}, {}};
  out.data.name = spec.data.dataset;
  out.own = partition_rows(out.data, spec.data.test_fraction, spec.train.is_regression(), seed);
  for (uint32_t row : out.own.train) out.of_table.train.push_back(kept[row]);
  for (uint32_t row : out.own.test) out.of_table.test.push_back(kept[row]);
  return out;
}

void check_columns(const RunSpec& spec, const Dataset& data) {
  std::vector<std::string> wanted = spec.data.ap_columns, have;
  if (wanted.empty()) return;
  for (const Column& column : data.features) have.push_back(column.name);
  std::ranges::sort(wanted);
  std::ranges::sort(have);
  if (wanted != have)
    throw Error(fmt::format("data.ap_columns: not the features of {}; name them, or drop the key",
                            data.path));
}

std::vector<float> labels_of(const Dataset& data, const std::vector<uint32_t>& rows) {
  std::vector<float> out;
  for (uint32_t row : rows) out.push_back(data.labels[row]);
  return out;
}

// Seconds as AP sees them: its own, and all that it waited for.
TrainResult as_train_result(const ActiveResult& ap) {
  TrainResult out;
  out.margins = ap.margins;
  for (const TreeSeconds& tree : ap.seconds) out.seconds.push_back({tree.computing, 0, tree.delay});
  return out;
}

Metric own_memory(Party party, double bytes) {
  return {"party_peak_rss", bytes, "bytes", -1, "ok", "", {party}};
}

std::vector<Metric> active_training_metrics(const PartyJob& job, const PreparedData& data,
                                            const ActiveResult& result, ThreadPool& pool) {
  std::vector<Metric> out = training_metrics(job.spec, data, as_train_result(result), {}, pool);
  std::erase_if(out, [](const Metric& metric) { return metric.of.party == Party::pp; });
  for (Metric& metric : out) {
    if (metric.name == "peak_rss") metric = own_memory(Party::ap, metric.value);
    if (metric.name != "trees") continue;  // also those that were grown before a fault
    metric.value = static_cast<double>(result.trees.size());
    const bool fewer = metric.value < job.spec.train.rounds;
    metric.reason = fewer ? "fewer than train.rounds: max_trees" : "";
  }
  return out;
}

float weight_of(const RunSpec& spec) {
  return static_cast<float>(spec.late_fusion.weight);
}

// Scores of PP's own are part of the margins, and PP answers for the test rows alone: how well the
// training rows are fitted nobody knows then.
std::vector<Metric> fit_known(const PassiveAnswers& pp, std::vector<Metric> metrics) {
  if (pp.kind == PassiveAnswers::Kind::scores)
    std::erase_if(metrics, [](const Metric& metric) { return metric.name == "train_auc"; });
  return metrics;
}

// A training whose parties have greeted each other.
struct Session {
  Session(Training& t, StreamLink& l, Channel& s)
      : training(t),
        spec(t.job_.spec),
        link(l),
        setup(s),
        channel(t.job_.role, l, spec.privacy.unit),
        continuation(t.in_step(s, channel)) {}

  SideContext context(const PartyData& data) {
    reset_peak_memory();
    return {spec,
            data,
            training.pool_,
            training.run_.key,
            channel,
            training.notes_,
            Compute::choose(spec, training.pool_, 0)};
  }
  // The tape hears the training alone.
  template <class Run>
  auto taped(Run run) {
    link.listen(&training.tape_);
    auto result = run();
    link.listen(nullptr);
    return result;
  }
  RunResult result(const std::string& backend) const {
    return {{"file", training.table_.data.sha256, backend, noise_source(spec)}, {}};
  }
  PartyOutput output(Model model, RunResult out, size_t train_rows) const {
    append(out.metrics, privacy_metrics_of(training.job_, train_rows, channel.ledger()));
    model.objective = spec.train.objective;
    return {std::move(model), std::move(out), training.seconds(), channel.ledger(), setup.ledger()};
  }

  Training& training;
  const RunSpec& spec;
  StreamLink& link;
  Channel& setup;
  Channel channel;
  Continuation continuation;
};

PartyOutput train_active(Session& session) {
  const Training& training = session.training;
  const RunSpec& spec = session.spec;
  check_columns(spec, training.table_.data);
  const DrawnRows rows = draw(training);
  align_as_active(session.setup, training.table_.ids);
  send_rows(session.setup, rows.of_table);
  PartyParts parts = party_parts(rows.data, all_features(rows.data), rows.own, spec.train.max_bins);
  PreparedData data;
  data.train_labels = labels_of(rows.data, rows.own.train);
  data.test_labels = labels_of(rows.data, rows.own.test);

  const ActiveContext context{session.context(parts.train), data.train_labels};
  TrainHooks hooks;
  hooks.continuation = &session.continuation;
  ActiveResult result = session.taped([&] {
    return run_active(*training.method_.active(context), context, noise_key(spec), hooks);
  });
  const std::vector<Metric> times =
      active_training_metrics(training.job_, data, result, context.pool);

  const RuleBits ap_bits = bits_by_bins(result.rules, parts.test);
  const PassiveAnswers pp = receive_answers(session.setup, ap_bits.rows, result.trees);
  const auto add = [&](size_t round, std::span<float> margins) {
    add_tree(result.trees[round], ap_bits, pp.bits, margins);
  };
  std::vector<float> first(data.test_labels.size(), result.base_margin);
  add_scores(pp, weight_of(spec), first);
  RunResult out = session.result(result.backend);
  append(out.metrics,
         test_metrics(spec, data.test_labels, std::move(first), result.trees.size(), add));
  append(out.metrics, fit_known(pp, times));
  append(out.metrics, wire_metrics(training.tape_));
  append(out.metrics, result.metrics);
  Model model;
  model.base_margin = result.base_margin;
  model.trees = std::move(result.trees);
  model.ap_rules = std::move(result.rules);
  model.ap_features = std::move(parts.info);
  if (pp.kind != PassiveAnswers::Kind::none) model.pp_score.emplace().weight = weight_of(spec);
  return session.output(std::move(model), std::move(out), data.train_labels.size());
}

PartyOutput train_passive(Session& session) {
  const Training& training = session.training;
  const RunSpec& spec = session.spec;
  const Dataset& table = training.table_.data;
  align_as_passive(session.setup, training.table_.ids);
  const RowLists lists = receive_rows(session.setup, table.rows());
  const RowPartition rows{lists.train, lists.test};
  PartyParts parts = party_parts(table, all_features(table), rows, pp_bins(spec));

  const PassiveContext context{session.context(parts.train)};
  PassiveResult result = session.taped([&] {
    return run_passive(*training.method_.passive(context), context, &session.continuation);
  });
  send_answers(
      session.setup,
      answers_by_bins(result, parts.test, derive_key(training.run_.key, "query"), context.pool));

  RunResult out = session.result("");
  double computing = 0;
  for (const TreeSeconds& tree : result.seconds) computing += tree.computing;
  const double trees = std::max<double>(1, static_cast<double>(result.seconds.size()));
  out.metrics = {{"party_seconds_per_tree", computing / trees, "s", -1, "ok", "", {Party::pp}},
                 own_memory(Party::pp, static_cast<double>(peak_memory()))};
  append(out.metrics, communication_metrics(spec, parts.train));
  append(out.metrics, result.metrics);
  Model model;
  model.pp_rules = std::move(result.rules);
  model.pp_features = std::move(parts.info);
  model.pp_score = std::move(result.score);
  return session.output(std::move(model), std::move(out), rows.train.size());
}

}  // namespace

// A party says that it is done when its output is written, and forgets how it got there when the
// other has said the same. One that has its output and does not meet the other cannot know whether
// the other has finished or has died: it keeps what the other may need.
void train_party(const PartyJob& job) {
  const bool had_output = has_output(job.out);
  const Progress progress(job.out + "/progress");
  if (job.resume && had_output && !progress.run()) {
    expect_output_of(job);
    progress.remove();  // what a kill has left of it
    fmt::print(stderr, "finished before\n");
    return;
  }
  Training training(job);
  try {
    talk_with_peer(job, [&](StreamLink& link, Channel& setup) {
      Session session(training, link, setup);
      write_output(job, job.role == Party::ap ? train_active(session) : train_passive(session));
    });
  } catch (const PeerAbsent&) {
    if (!had_output) throw;
    fmt::print(stderr,
               "finished before; the other party is not there. {} stays for it: remove it when the "
               "other has finished too\n",
               job.out + "/progress");
    return;
  }
  training.progress_.remove();
}

}  // namespace maskbench
