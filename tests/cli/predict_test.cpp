// predict beside real runs, as a user has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "harness/base/file.hpp"
#include "harness/data/data_source.hpp"
#include "harness/data/partition.hpp"
#include "harness/judge/prepare.hpp"
#include "harness/trees/metrics.hpp"
#include "tests/support/fake.hpp"
#include "tests/support/toy.hpp"

namespace maskbench::testing {
namespace {

// The rows as a data file; a third feature is text.
std::string csv_of(const Dataset& data, const std::vector<uint32_t>& rows,
                   const std::string& without = "") {
  std::string text = "label";
  for (const Column& column : data.features)
    if (column.name != without) text += "," + column.name;
  text += '\n';
  for (uint32_t row : rows) {
    text += fmt::format("{}", data.labels[row]);
    for (const Column& column : data.features) {
      if (column.name == without) continue;
      const float x = column.values[row];
      text += ',';
      if (std::isnan(x)) continue;
      text += column.is_categorical() ? column.categories[static_cast<size_t>(x)]
                                      : fmt::format("{}", x);
    }
    text += '\n';
  }
  return text;
}

Dataset with_text(Dataset data) {
  Column& column = data.features[2];
  column.categories = {"red", "green", "blue"};
  for (float& x : column.values) x = x < -0.5f ? 0.0f : x < 0.7f ? 1.0f : 2.0f;
  return data;
}

std::vector<uint32_t> all_rows(const Dataset& data) {
  std::vector<uint32_t> rows(data.rows());
  for (size_t j = 0; j < rows.size(); ++j) rows[j] = static_cast<uint32_t>(j);
  return rows;
}

class Predict : public ::testing::Test {
 protected:
  // Trains on toy data of the directory and returns the only saved model's folder.
  std::string train(const std::string& objective) {
    data_ = with_text(toy::dataset(900, 6, 5));
    if (objective == "regression")
      for (size_t j = 0; j < data_.rows(); ++j) data_.labels[j] += data_.features[0].values[j];
    dir_.write("toy.csv", csv_of(data_, all_rows(data_)));
    const std::string config = dir_.write(
        "c.yaml",
        "data: {dataset: toy, source: file}\ntrain: {rounds: 5, max_depth: 3, objective: " +
            objective + "}\nmethod: nonprivate\nseed: 3\n");
    const auto ended = maskbench(
        dir_, {"run", config, "--out", dir_ / "out", "--data-dir", dir_ / "", "--save-models"},
        kReal);
    EXPECT_EQ(ended.code, 0) << ended.err;
    RunSpec spec;
    spec.seed = 3;
    test_ =
        partition_rows(data_, spec.data.test_fraction, objective == "regression", split_key(spec))
            .test;
    for (const auto& entry : std::filesystem::directory_iterator(dir_ / "out/models"))
      return entry.path();
    return "no model";
  }

  std::vector<float> column_of(const std::string& csv, size_t k) const {
    std::vector<float> out;
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::istringstream cells(line);
      std::string cell;
      for (size_t i = 0; i <= k; ++i) std::getline(cells, cell, ',');
      out.push_back(std::stof(cell));
    }
    return out;
  }

  std::vector<float> test_labels() const {
    std::vector<float> out;
    for (uint32_t row : test_) out.push_back(data_.labels[row]);
    return out;
  }

  TempDir dir_;
  Dataset data_;
  std::vector<uint32_t> test_;
};

TEST_F(Predict, of_the_test_rows_is_what_the_run_was_scored_by) {
  const std::string model = train("classification");
  ASSERT_EQ(test_.size(), 180u);
  const auto ended = maskbench(dir_, {"predict", model, dir_.write("t.csv", csv_of(data_, test_))});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("margin,probability\n"));
  const std::vector<float> margins = column_of(ended.out, 0), labels = test_labels();
  ASSERT_EQ(margins.size(), labels.size());
  const double run_auc = metric_of(dir_ / "out", "test_auc");
  EXPECT_GT(run_auc, 0.7);
  EXPECT_NEAR(auc(margins, labels), run_auc, 1e-6);
  EXPECT_NEAR(log_loss(margins, labels), metric_of(dir_ / "out", "test_logloss"), 1e-6);
  EXPECT_EQ(ended.err, fmt::format("180 rows, AUC {:.4f}\n", run_auc));
  const std::vector<float> probability = column_of(ended.out, 1);
  for (size_t j = 0; j < margins.size(); ++j)
    EXPECT_NEAR(probability[j], 1 / (1 + std::exp(-margins[j])), 1e-6);
  // Into a file, and in whatever order the columns and rows come.
  std::swap(data_.features[0], data_.features[5]);
  std::reverse(test_.begin(), test_.end());
  ASSERT_EQ(maskbench(dir_, {"predict", model, dir_.write("u.csv", csv_of(data_, test_)), "--out",
                             dir_ / "p.csv"})
                .code,
            0);
  std::vector<float> turned = column_of(read_file(dir_ / "p.csv"), 0);
  std::reverse(turned.begin(), turned.end());
  EXPECT_EQ(turned, margins);
}

TEST_F(Predict, of_a_regression_is_its_margin) {
  const std::string model = train("regression");
  const auto ended = maskbench(dir_, {"predict", model, dir_.write("t.csv", csv_of(data_, test_))});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("prediction\n"));
  EXPECT_NEAR(rmse(column_of(ended.out, 0), test_labels()), metric_of(dir_ / "out", "test_rmse"),
              1e-5);
}

TEST_F(Predict, needs_every_column_of_the_model_and_says_which_is_missing) {
  const std::string model = train("classification");
  const std::string csv = dir_.write("t.csv", csv_of(data_, test_, "f4"));
  const auto ended = maskbench(dir_, {"predict", model, csv});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "maskbench: " + csv + ": no column 'f4', which the model needs\n");
}

TEST_F(Predict, writes_all_or_nothing_and_never_over_its_input) {
  const std::string model = train("classification");
  const std::string csv = dir_.write("t.csv", csv_of(data_, test_)), before = read_file(csv);
  EXPECT_EQ(maskbench(dir_, {"predict", model, csv, "--out", csv}).err,
            "maskbench: --out " + csv + " is an input; write to another file\n");
  EXPECT_EQ(read_file(csv), before);
  const std::string out = dir_.write("p.csv", "of before\n");
  const auto full =
      maskbench(dir_, {"predict", model, csv, "--out", out}, {{"FAKE_FILE_LIMIT", "2000"}});
  EXPECT_EQ(full.code, 1);
  EXPECT_NE(full.err.find("File too large; make room"), std::string::npos) << full.err;
  EXPECT_EQ(read_file(out), "of before\n");
  EXPECT_EQ(maskbench(dir_, {"predict", model, csv, "--out", "/dev/null"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Predict, of_one_class_has_no_auc) {
  const std::string model = train("classification");
  std::erase_if(test_, [&](uint32_t row) { return data_.labels[row] > 0.5f; });
  const auto ended = maskbench(dir_, {"predict", model, dir_.write("t.csv", csv_of(data_, test_))});
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.err.find("rows, no AUC: it is not defined for these labels\n"),
            std::string::npos);
}

TEST_F(Predict, a_broken_model_is_one_line_without_words_of_a_library) {
  const std::string model = train("classification");
  const std::string csv = dir_.write("t.csv", csv_of(data_, test_));
  const std::string good = read_file(model + "/ap.json");
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_file(model + "/ap.json", text.replace(at, from.size(), to));
    const auto ended = maskbench(dir_, {"predict", model, csv});
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    const std::string place = "maskbench: " + model + "/ap.json: not a model: ";
    EXPECT_TRUE(ended.err.starts_with(place)) << ended.err;
    return ended.err.substr(place.size());
  };
  EXPECT_EQ(error_with("\"trees\"", "\"treez\""), "a field is missing or of another kind\n");
  EXPECT_EQ(error_with("{", "{{"), "it is no JSON\n");
  EXPECT_EQ(error_with("\"owner\": \"", "\"owner\": \"Q"),
            "a split's owner is neither AP nor PP\n");
  EXPECT_EQ(error_with("classification", "ranking"), "its objective is unknown\n");
  EXPECT_EQ(error_with("\"feature\": \"", "\"feature\": \"z"),
            "a rule's feature is not in its list\n");
  EXPECT_EQ(error_with("\"left\": ", "\"left\": 1e9"), "a place in it is no number from 0 on\n");
  EXPECT_EQ(error_with("\"left\": ", "\"left\": 99"), "a tree points outside the model\n");
  EXPECT_EQ(error_with("\"trees\": [", "\"trees\": {}, \"x\": ["), "'trees' in it is no list\n");
  const std::string twice = R"({"name": "a", "categories": []},)";
  EXPECT_EQ(error_with("\"features\": [", "\"features\": [" + twice + twice),
            "a feature stands in it twice\n");
  EXPECT_EQ(
      error_with("\"features\": [", R"("features": [{"name": "a", "categories": ["b", "b"]},)"),
      "a category stands in it twice\n");
  EXPECT_EQ(error_with("\"leaf\": ", "\"leaf\": 1e99, \"x\": "),
            "a number of it is out of range\n");
}

TEST_F(Predict, a_model_is_not_saved_through_a_link) {
  const std::string model = train("classification");
  const std::string target = dir_.write("precious.txt", "keep me");
  std::filesystem::remove(model + "/ap.json");
  std::filesystem::create_symlink(target, model + "/ap.json");
  EXPECT_EQ(maskbench(dir_,
                      {"run", dir_ / "c.yaml", "--out", dir_ / "out", "--data-dir", dir_ / "",
                       "--save-models", "--force"},
                      kReal)
                .code,
            0);
  EXPECT_EQ(read_file(target), "keep me");
  EXPECT_TRUE(
      std::filesystem::is_regular_file(std::filesystem::symlink_status(model + "/ap.json")));
}

}  // namespace
}  // namespace maskbench::testing
