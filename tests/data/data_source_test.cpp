#include "harness/data/data_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/data/data_content.hpp"
#include "tests/support/scratch_dir.hpp"

namespace maskbench {
namespace {

class DataSource : public testing::Test {
 protected:
  Dataset load(const DataSpec& spec, uint64_t seed = 1, bool regression = false) {
    return load_data(spec, dir_.path(), seed, regression, pool_);
  }
  std::string error_of(const DataSpec& spec, bool regression = false) {
    try {
      load(spec, 1, regression);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  static DataSpec spec_of(const std::string& dataset, const std::string& source) {
    DataSpec spec;
    spec.dataset = dataset;
    spec.source = from_name<Source>(source).value();
    return spec;
  }

  // 100 rows, 30 of them positive; the feature is the row's number.
  static std::string table() {
    std::string text = "label,x\n";
    for (int i = 0; i < 100; ++i) {
      text += std::to_string(i % 10 < 3) + "," + std::to_string(i) + "\n";
    }
    return text;
  }

  ScratchDir dir_;
  ThreadPool pool_{1};
};

TEST_F(DataSource, auto_takes_the_file_if_it_is_there) {
  DataSpec spec = spec_of("nomao", "auto");
  spec.rows = 50;
  EXPECT_EQ(load(spec).source, "synthetic");
  const std::string path = dir_.write("nomao.csv", table());
  const Dataset data = load(spec);
  EXPECT_EQ(data.source, "file");
  EXPECT_EQ(data.name, "nomao");
  EXPECT_EQ(data.path, path);
  EXPECT_EQ(data.sha256, sha256_of_text(table()));
  spec.source = Source::synthetic;
  EXPECT_EQ(load(spec).source, "synthetic");
}

TEST_F(DataSource, contents_are_what_load_reports) {
  const auto content = [&](const DataSpec& spec, bool regression = false) {
    return DataContents(dir_.path()).of(spec, regression);
  };
  DataSpec spec = spec_of("nomao", "auto");
  spec.rows = 50;
  for (const bool regression : {false, true}) {
    EXPECT_EQ(content(spec, regression), "synthetic " + load(spec, 1, regression).sha256);
  }
  EXPECT_NE(content(spec, false), content(spec, true));
  EXPECT_EQ(content(spec_of("nomao", "file")), "none");
  EXPECT_EQ(content(spec_of("unheard-of", "auto")), "none");
  dir_.write("nomao.csv", table());
  EXPECT_EQ(content(spec), "file " + sha256_of_text(table()));
  EXPECT_EQ(content(spec), "file " + load(spec).sha256);
}

TEST_F(DataSource, a_file_that_many_specs_name_is_hashed_once) {
  dir_.write("nomao.csv", table());
  DataContents contents(dir_.path());
  const std::string first = contents.of(spec_of("nomao", "auto"), false);
  dir_.write("nomao.csv", table() + "1,5\n");
  EXPECT_EQ(contents.of(spec_of("nomao", "file"), false), first);
}

TEST_F(DataSource, other_data_than_planned_is_refused) {
  const std::string path = dir_.write("nomao.csv", table());
  DataSpec spec = spec_of("nomao", "auto");
  spec.content = DataContents(dir_.path()).of(spec, false);
  EXPECT_EQ(load(spec).rows(), 100u);
  const std::string edited = "label,x\n1,";
  dir_.write("nomao.csv", edited);
  const std::string planned = "file " + sha256_of_text(table()).substr(0, 8);
  const auto message = [&](const std::string& where, const std::string& now) {
    return where + ": the data has changed since this was planned (sha256: " + planned + ", now " +
           now +
           "); run the same command again with --resume, which keeps the runs of unchanged data";
  };
  EXPECT_EQ(error_of(spec), message(path, "file " + sha256_of_text(edited).substr(0, 8)));
  std::filesystem::remove(path);
  EXPECT_TRUE(error_of(spec).starts_with("nomao: the data has changed")) << error_of(spec);
}

TEST_F(DataSource, a_dataset_may_be_a_path) {
  const std::string path = dir_.write("own.csv", table());
  const Dataset data = load(spec_of(path, "auto"));
  EXPECT_EQ(data.name, "own");
  EXPECT_EQ(data.rows(), 100u);
  EXPECT_EQ(error_of(spec_of("./none.csv", "auto")),
            "data.dataset: no file ./none.csv; check the path");
  EXPECT_EQ(load(spec_of("own", "file")).rows(), 100u);
}

TEST_F(DataSource, finds_a_file_by_path_or_by_name_in_the_directory) {
  const std::string plain = dir_.write("own.csv", table());
  const std::string packed = dir_.write("higgs.csv.gz", table());
  EXPECT_EQ(find_data_file(plain, ""), plain);
  EXPECT_EQ(find_data_file("own", dir_.path()), plain);
  EXPECT_EQ(find_data_file("own", ""), "");
  EXPECT_EQ(find_data_file("higgs", dir_.path()), packed);
  EXPECT_EQ(find_data_file("adult", dir_.path()), "");
  EXPECT_EQ(find_data_file("own.csv", dir_.path()), "");  // a path, and not in this directory
}

TEST_F(DataSource, rows_of_a_file_are_a_stratified_sample_by_seed) {
  dir_.write("adult.csv", table());
  DataSpec spec = spec_of("adult", "file");
  spec.rows = 20;
  const Dataset one = load(spec, 1), again = load(spec, 1), two = load(spec, 2);
  EXPECT_EQ(one.rows(), 20u);
  EXPECT_EQ(std::count(one.labels.begin(), one.labels.end(), 1.0f), 6);
  EXPECT_EQ(one.features[0].values, again.features[0].values);
  EXPECT_NE(one.features[0].values, two.features[0].values);
  for (size_t i = 0; i < 20; ++i) {
    const int row = static_cast<int>(one.features[0].values[i]);
    EXPECT_EQ(one.labels[i], row % 10 < 3 ? 1.0f : 0.0f);
  }
  spec.rows = 101;
  EXPECT_EQ(error_of(spec),
            "data.rows: 101 of the 100 rows of " + dir_.path() + "/adult.csv; take at most all");
}

TEST_F(DataSource, synthetic_data_do_not_depend_on_the_seed) {
  DataSpec spec = spec_of("bank", "synthetic");
  spec.rows = 2000;
  spec.features = 4;
  spec.positive_rate = 0.25;
  const Dataset one = load(spec, 1), two = load(spec, 2);
  EXPECT_EQ(one.labels, two.labels);
  EXPECT_EQ(one.features.size(), 4u);
  EXPECT_EQ(std::count(one.labels.begin(), one.labels.end(), 1.0f), 500);
  spec.dataset = "anything";
  EXPECT_EQ(load(spec).name, "anything");
}

TEST_F(DataSource, errors_say_where_it_looked_and_what_to_do) {
  const std::string dir = dir_.path();
  EXPECT_EQ(error_of(spec_of("adult", "file")),
            "data.source: file, but there is no " + dir + "/adult.csv nor " + dir +
                "/adult.csv.gz; get it by scripts/fetch_data.py --dir " + dir +
                " adult, or set source: synthetic");
  try {
    load_data(spec_of("adult", "file"), "", 1, false, pool_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("MASKBENCH_DATA"), std::string::npos);
  }
  EXPECT_NE(error_of(spec_of("adlut", "auto")).find("did you mean adult?"), std::string::npos);
  dir_.write("bank.csv", table());
  DataSpec spec = spec_of("bank", "auto");
  spec.features = 3;
  EXPECT_EQ(error_of(spec), "data.features: is for synthetic data, but " + dir +
                                "/bank.csv is there; drop it or set source: synthetic");
  dir_.write("flat.csv", "label,x\n0,1\n0,2\n");
  EXPECT_EQ(error_of(spec_of("flat", "file")),
            dir + "/flat.csv: every label is 0; there is nothing to learn, check the column");
}

// The real sets that lie in the data directory have the shapes their provenance states.
TEST(RealData, loads_with_the_known_counts) {
  const char* variable = std::getenv("MASKBENCH_DATA");
  const std::string dir = variable ? variable : "";
  struct Known {
    const char* name;
    size_t rows, positives, features;
  };
  size_t found = 0;
  ThreadPool pool(2);
  for (const Known& known : {Known{"credit1", 150000, 10026, 10}, Known{"adult", 32561, 7841, 14},
                             Known{"credit2", 30000, 6636, 23}}) {
    DataSpec spec;
    spec.dataset = known.name;
    spec.source = Source::file;
    if (find_data_file(known.name, dir).empty()) continue;
    const Dataset data = load_data(spec, dir, 1, false, pool);
    ++found;
    EXPECT_EQ(data.rows(), known.rows);
    EXPECT_EQ(data.features.size(), known.features);
    const auto positives = std::count(data.labels.begin(), data.labels.end(), 1.0f);
    EXPECT_EQ(static_cast<size_t>(positives), known.positives);
  }
  if (found == 0) GTEST_SKIP() << "no real data: MASKBENCH_DATA names no directory with them";
}

}  // namespace
}  // namespace maskbench
