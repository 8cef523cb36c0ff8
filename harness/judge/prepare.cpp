#include "harness/judge/prepare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>

#include "harness/base/random.hpp"
#include "harness/data/data_source.hpp"
#include "harness/data/partition.hpp"

namespace maskbench {

namespace {

// Remembers the value of the last key.
template <class Value>
class LastOne {
 public:
  template <class Make>
  std::shared_ptr<const Value> get(const std::string& key, Make make) {
    if (!value_ || key != key_) {
      value_ = nullptr;  // never hold two large data sets at once
      value_ = std::make_shared<const Value>(make());
      key_ = key;
    }
    return value_;
  }

 private:
  std::string key_;
  std::shared_ptr<const Value> value_;
};

std::string data_key(const RunSpec& spec, const std::string& data_dir) {
  const DataSpec& d = spec.data;
  // A subsample of a file follows the seed; everything else is the same for all repeats.
  const uint64_t seed = d.rows > 0 ? split_key(spec) : 0;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", data_dir, d.dataset, d.content,
                     name_of(d.source), d.rows, d.features, d.positive_rate,
                     name_of(spec.train.objective), seed, d.text_columns, d.label, d.id, d.drop);
}

std::vector<float> labels_of(const Dataset& data, const std::vector<uint32_t>& rows) {
  std::vector<float> out;
  out.reserve(rows.size());
  for (uint32_t row : rows) out.push_back(data.labels[row]);
  return out;
}

PreparedData split_and_bin(const RunSpec& spec, const Dataset& data) {
  const RowPartition rows =
      partition_rows(data, spec.data.test_fraction, spec.train.is_regression(), split_key(spec));
  const FeaturePartition features = partition_features(data, spec.data, partition_key(spec));
  PartyParts ap = party_parts(data, features.ap, rows, spec.train.max_bins);
  PartyParts pp = party_parts(data, features.pp, rows, pp_bins(spec));
  return {data.source,
          data.sha256,
          labels_of(data, rows.train),
          labels_of(data, rows.test),
          std::move(ap.train),
          std::move(pp.train),
          std::move(ap.test),
          std::move(pp.test),
          std::move(ap.info),
          std::move(pp.info)};
}

}  // namespace

int pp_bins(const RunSpec& spec) {
  return spec.federboost.buckets > 1 ? spec.federboost.buckets : spec.train.max_bins;
}

PartyParts party_parts(const Dataset& data, const std::vector<int>& features,
                       const RowPartition& rows, int max_bins) {
  PartyParts out;
  std::vector<std::string> names;
  for (int f : features) {
    const Column& column = data.features[static_cast<size_t>(f)];
    names.push_back(column.name);
    out.info.push_back({column.name, column.categories});
  }
  const std::vector<FeatureCuts> cuts = find_cuts(data, features, rows.train, max_bins);
  out.train = PartyData(names, cuts, bin_rows(data, features, cuts, rows.train));
  out.test = PartyData(names, cuts, bin_rows(data, features, cuts, rows.test));
  return out;
}

uint64_t partition_key(const RunSpec& spec) {
  return derive_seed(spec.partition_seed(), "run");
}
uint64_t split_key(const RunSpec& spec) {
  return derive_seed(spec.split_seed(), "run");
}
uint64_t noise_key(const RunSpec& spec) {
  return derive_seed(spec.noise_seed(), "run");
}

std::shared_ptr<const PreparedData> prepare(const RunSpec& spec, const std::string& data_dir,
                                            ThreadPool& pool) {
  static std::mutex mutex;
  static LastOne<Dataset> datasets;
  static LastOne<PreparedData> preparations;
  std::scoped_lock lock(mutex);
  const std::string key = data_key(spec, data_dir);
  const std::string full_key = fmt::format(
      "{}|{}|{}|{}|{}|{}|{}|{}", key, partition_key(spec), split_key(spec), spec.train.max_bins,
      pp_bins(spec), spec.data.test_fraction, spec.data.ap_features, spec.data.ap_columns);
  return preparations.get(full_key, [&] {
    const auto data = datasets.get(key, [&] {
      return load_data(spec.data, data_dir, split_key(spec), spec.train.is_regression(), pool);
    });
    return split_and_bin(spec, *data);
  });
}

}  // namespace maskbench
