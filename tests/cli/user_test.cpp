// What calibrate, show and run say before anything is run, beside real runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/table.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

// One level: all of PP's candidates are sent, each time.
TEST(Calibrate, foresees_what_a_run_charges) {
  for (const std::string mu : {"paper", "range", "label"}) {
    TempDir dir;
    const std::string yaml =
        "data: {dataset: adult, source: synthetic, rows: 750}\n"
        "train: {max_depth: 1, max_bins: 8}\nmethod: masked\n"
        "privacy: {scope: training, unit: record, composition: gdp, theorem3: tight, ratio: 1, "
        "mu: " +
        mu + "}\n";
    const std::string config = dir.write("c.yaml", yaml);
    for (const std::string rounds : {"1", "4"}) {
      const auto ended = maskbench(
          dir, {"run", config, "--out", dir / ("run-" + rounds), "--set", "train.rounds=" + rounds},
          kReal);
      ASSERT_EQ(ended.code, 0) << ended.err;
    }
    const auto candidates = static_cast<int>(metric_of(dir / "run-1", "wire_candidates"));
    for (const std::string rounds : {"1", "4"}) {
      const auto ended = maskbench(dir, {"calibrate",
                                         "--n",
                                         "600",
                                         "--candidates",
                                         std::to_string(candidates),
                                         "--rounds",
                                         rounds,
                                         "--depth",
                                         "1",
                                         "--ratio",
                                         "1",
                                         "--scope",
                                         "training",
                                         "--unit",
                                         "record",
                                         "--composition",
                                         "gdp",
                                         "--theorem3",
                                         "tight",
                                         "--mu",
                                         mu,
                                         "--json"});
      ASSERT_EQ(ended.code, 0) << ended.err;
      const auto json = nlohmann::json::parse(ended.out);
      const std::string out = dir / ("run-" + rounds);
      // The run hands its budget out level by level: another equation, solved to 1e-7 of m.
      EXPECT_NEAR(json.at("s").get<double>() / metric_of(out, "noise_q"), 1, 1e-5) << mu;
      EXPECT_NEAR(json.at("kappa").get<double>() / metric_of(out, "noise_kappa_half"), 1, 1e-5);
      int seen = 0;
      for (const auto& guarantee : json.at("guarantees")) {
        if (guarantee.at("view") != "stated" || guarantee.at("scope") != "training" ||
            guarantee.at("unit") != "record" || guarantee.at("composition") != "gdp" ||
            guarantee.at("theorem3") != "tight" || guarantee.at("mu") != mu)
          continue;
        ++seen;
        const std::string party = guarantee.at("party");
        // PP's bound follows each candidate's n_A: half of n is the middle of them.
        const double run = metric_of(out, "eps", party);
        if (party == "AP") {
          EXPECT_NEAR(guarantee.at("eps").get<double>(), run, 1e-5 * run) << mu << ' ' << rounds;
        } else {
          EXPECT_NEAR(guarantee.at("eps").get<double>(), run, 0.1 * run) << mu << ' ' << rounds;
        }
      }
      EXPECT_GE(seen, 2);
    }
  }
}

TEST(Calibrate, fits_eighty_columns) {
  TempDir dir;
  const auto ended = maskbench(dir, {"calibrate"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::istringstream in(ended.out);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 80u) << line;
}

TEST(Calibrate, a_budget_that_cannot_be_met_is_one_line_and_exit_1) {
  TempDir dir;
  const auto ended = maskbench(dir, {"calibrate", "--W", "3"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(ended.err.starts_with("maskbench: PP's budget: eps_pp = 1 ")) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
  EXPECT_TRUE(ended.out.starts_with("feasible                 no")) << ended.out;
}

// A file that cannot serve is said once, by show and run, before anything is written.
TEST(OwnData, keys_name_the_columns_and_a_bad_file_is_one_line) {
  TempDir dir;
  std::string text = "who,a,bought,b,when\n";
  for (int row = 0; row < 200; ++row)
    text += fmt::format("id{},{},{},{},monday\n", row, row % 7, row % 7 > 3 ? 1 : 0, row % 5);
  dir.write("shop.csv", text);
  const std::string head = "data: {dataset: shop, source: file, id: who, drop: [when], label: ";
  const std::string tail =
      "}\ntrain: {rounds: 2, max_depth: 2}\naxes: {method: [nonprivate, local]}\n";
  const auto good = dir.write("good.yaml", head + "bought" + tail);
  const auto bad = dir.write("bad.yaml", head + "bougt" + tail);
  const auto ran =
      maskbench(dir, {"run", good, "--out", dir / "good", "--data-dir", dir / ""}, kReal);
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* command : {"show", "run"}) {
    std::vector<std::string> words = {command, bad, "--data-dir", dir / ""};
    if (words[0] == "run") words.insert(words.end(), {"--out", dir / "bad"});
    const auto ended = maskbench(dir, words, kReal);
    EXPECT_EQ(ended.code, 1);
    EXPECT_NE(
        ended.err.find("shop.csv:1:1: no column 'bougt' for the labels; did you mean 'bought'"),
        std::string::npos)
        << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "bad"));
}

// The rows and columns of the file are what a run will cost, not those of the name's shape.
TEST(OwnData, decides_what_show_and_the_plan_foresee) {
  TempDir dir;
  std::string text = "label,a,b\n";
  for (int row = 0; row < 300; ++row) text += fmt::format("{},{},{}\n", row % 2, row % 7, row % 5);
  dir.write("higgs.csv", text);
  const auto config = dir.write(
      "c.yaml",
      "data: {dataset: higgs}\nmethod: masked\nmode: materialised\ntrain: {rounds: 20}\n");
  const auto last_line = [&](const std::vector<std::string>& words) {
    const auto ended = maskbench(dir, words);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out.substr(ended.out.rfind('\n', ended.out.size() - 2) + 1);
  };
  EXPECT_FALSE(last_line({"show", config}).starts_with("1 runs, about 0."))
      << last_line({"show", config});
  EXPECT_TRUE(
      last_line({"show", config, "--data-dir", dir / ""}).starts_with("1 runs, about 0.0 s"))
      << last_line({"show", config, "--data-dir", dir / ""});
}

constexpr const char* kFewRows =
    "data: {dataset: adult, source: synthetic, rows: 400}\ntrain: {rounds: 2, max_depth: 2}\n";

std::string refused_plan(const TempDir& dir, const std::string& yaml) {
  const std::string config = dir.write("c.yaml", kFewRows + yaml);
  const auto shown = maskbench(dir, {"show", config});
  const auto ran = maskbench(dir, {"run", config, "--out", dir / "out"}, kReal);
  EXPECT_EQ(shown.code, 1);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(shown.err, ran.err);
  EXPECT_EQ(shown.out + ran.out, "");
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
  return ran.err;
}

// Said once, by show and run, before anything is written.
TEST(Budgets, that_no_run_can_meet_are_one_line) {
  TempDir dir;
  const std::string said = refused_plan(
      dir, "privacy: {W: 3, eps_pp: 1}\nrepeats: 2\naxes: {method: [nonprivate, masked]}\n");
  EXPECT_TRUE(
      said.starts_with("maskbench: c: none of the 2 runs of masked (of 4 planned) can meet "
                       "its budget: PP's budget: eps_pp = 1 "))
      << said;
  EXPECT_NE(said.find("nearest feasible eps_pp for W = 3 is just above 2.0794"), std::string::npos);
  for (const auto& [method, key] : std::map<std::string, std::string>{{"masked", "eps_ap"},
                                                                      {"xgb-ldp", "eps_ap"},
                                                                      {"fedxgb-ldp", "eps_ap"},
                                                                      {"label-rr", "eps_ap"},
                                                                      {"late-fusion", "eps_ap"},
                                                                      {"bilateral-rr", "eps_ap"},
                                                                      {"federboost", "eps_pp"},
                                                                      {"opboost", "eps_pp"}}) {
    const std::string line =
        refused_plan(dir, fmt::format("method: {}\nprivacy: {{{}: 1e-30}}\n", method, key));
    EXPECT_NE(line.find("none of the 1 runs of " + method), std::string::npos) << line;
    EXPECT_NE(line.find("privacy." + key), std::string::npos) << line;
  }
}

TEST(Budgets, that_some_runs_cannot_meet_are_noted_and_the_others_run) {
  TempDir dir;
  const std::string config =
      dir.write("c.yaml", std::string(kFewRows) +
                              "method: masked\nmode: collapsed\naxes: {privacy.W: [1, 3]}\n");
  const std::string note =
      "maskbench: c: 1 of the 2 runs of masked cannot meet their budget and "
      "will fail, the first because PP's budget: eps_pp = 1 ";
  const auto shown = maskbench(dir, {"show", config});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(shown.err.starts_with(note)) << shown.err;
  const auto ran = maskbench(dir, {"run", config, "--out", dir / "out"}, kReal);
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.starts_with(note)) << ran.err;
  EXPECT_NE(ran.err.find("1 of 2 runs failed"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace maskbench::testing
