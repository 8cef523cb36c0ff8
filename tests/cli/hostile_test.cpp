// What a stranger may hand to the program: each ends in one line, at once, and touches nothing
// else.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/sweep/manifest.hpp"
#include "harness/sweep/rows.hpp"
#include "harness/sweep/shard.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

namespace fs = std::filesystem;
const char* const kSome = "2000000000";  // bytes of memory, more than any of these may need

// The one line that the program ends with.
std::string complaint(const TempDir& dir, const std::vector<std::string>& args,
                      const Environment& environment = {}) {
  const auto ended = maskbench(dir, args, environment);
  EXPECT_TRUE(ended.code == 1 || ended.code == 2) << ended.code << ' ' << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  for (const char* raw : {"yaml-cpp", "boost", "json.exception", "std::", "unordered_map"})
    EXPECT_EQ(ended.err.find(raw), std::string::npos) << ended.err;
  return ended.err;
}

TEST(Hostile, yaml_that_would_never_end_is_refused) {
  TempDir dir;
  const auto show = [&](const std::string& text) {
    return complaint(dir, {"show", dir.write("c.yaml", text)});
  };
  for (const std::string endless : {"{method: local},", "!!set { ba},", "[a],\n[b],"})
    EXPECT_NE(show(endless).find("more than one YAML document"), std::string::npos);
  EXPECT_NE(show(std::string(100'000, '[')).find("c.yaml:1:"), std::string::npos);
  EXPECT_NE(show("a: " + std::string(40, '[') + std::string(40, ']')).find("nested over 16 deep"),
            std::string::npos);
  std::string many = "axes: {seed: [";
  for (int i = 0; i < 60'000; ++i) many += "1,";
  EXPECT_NE(show(many + "1]}").find("over 50000 values"), std::string::npos);
  EXPECT_NE(show("method: local #" + std::string(2 << 20, 'x')).find("over 1048576 bytes"),
            std::string::npos);
  EXPECT_NE(show("method: [local").find(": not YAML from here on"), std::string::npos);
  EXPECT_NE(show("method: \xff").find("not UTF-8"), std::string::npos);
  const std::string config = dir.write("d.yaml", "method: local\n");
  EXPECT_NE(complaint(dir, {"show", config, "--set", "seed={a: b},"}).find("more than one"),
            std::string::npos);
}

// A few bytes that stand for many: a value by aliases, a long one in many runs, files in files.
TEST(Hostile, what_a_config_stands_for_is_limited_too) {
  TempDir dir;
  const std::string text(500'000, 'x');
  std::string aliases;
  for (int i = 0; i < 40'000; ++i) aliases += ", *a";
  const auto show = [&](const std::string& config) {
    return complaint(dir, {"show", dir.write("c.yaml", config)}, {{"FAKE_MEMORY_LIMIT", kSome}});
  };
  for (const std::string& bomb : {"axes: {data.label: [&a " + text + aliases + "]}\n",
                                  "variants: [&a {data.label: " + text + "}" + aliases + "]\n"})
    EXPECT_NE(show(bomb).find("values of over 16777216 bytes"), std::string::npos);
  EXPECT_NE(show("data.label: " + text + "\nrepeats: 10000\n").find("with values of 500005 bytes"),
            std::string::npos);
  for (int i = 0; i < 20; ++i)
    dir.write("i" + std::to_string(i) + ".yaml", "include: [i" + std::to_string(i + 1) + ".yaml]");
  dir.write("i20.yaml", "method: local\n");
  EXPECT_NE(complaint(dir, {"show", dir / "i0.yaml"}).find("i16.yaml: included over 16 deep"),
            std::string::npos);
  EXPECT_EQ(maskbench(dir, {"show", dir / "i5.yaml"}).code, 0);
}

TEST(Hostile, a_config_without_end_is_not_read_to_its_end) {
  TempDir dir;
  EXPECT_EQ(complaint(dir, {"show", "/dev/zero"}), "maskbench: /dev/zero: over 1048576 bytes\n");
  const std::string config = dir.write("c.yaml", "include: [/dev/zero]\n");
  EXPECT_EQ(complaint(dir, {"run", config, "--out", dir / "out"}),
            "maskbench: /dev/zero: over 1048576 bytes\n");
  EXPECT_EQ(complaint(dir, {"show", dir / ""}),
            "maskbench: cannot read " + (dir / "") + ": it is a folder\n");
}

TEST(Hostile, a_plan_of_too_many_runs_is_refused_before_it_is_made) {
  TempDir dir;
  std::string hundred = "[1";
  for (int i = 2; i <= 100; ++i) hundred += "," + std::to_string(i);
  hundred += "]";
  std::string text = "method: masked\naxes:\n";
  for (const char* key :
       {"seed", "train.rounds", "privacy.eps_ap", "privacy.eps_pp", "privacy.W", "train.gamma"})
    text += std::string("  ") + key + ": " + hundred + "\n";
  const std::string config = dir.write("c.yaml", text);
  EXPECT_NE(complaint(dir, {"show", config})
                .find("make 1e+12 runs, over 100000; shorten them or raise --max-runs"),
            std::string::npos);
  const std::string few = dir.write("d.yaml", "repeats: 3\n");
  EXPECT_NE(complaint(dir, {"show", few, "--max-runs", "2"}).find("make 3 runs, over 2"),
            std::string::npos);
  EXPECT_EQ(maskbench(dir, {"show", few, "--max-runs", "3"}).code, 0);
}

TEST(Hostile, names_that_lead_elsewhere_are_refused) {
  TempDir dir;
  fs::create_directory(dir / "sub");
  for (const std::string name : {"...yaml", "=HYPERLINK(1).yaml", "a b.yaml", "-x.yaml"}) {
    const std::string config = dir.write("sub/" + name, "method: local\n");
    EXPECT_NE(complaint(dir, {"run", config}).find("needs a key 'name'"), std::string::npos)
        << name;
  }
  const std::string named = dir.write("n.yaml", "name: =1+1\n");
  EXPECT_NE(complaint(dir, {"show", named}).find("name must consist of"), std::string::npos);
  const std::string config = dir.write("c.yaml", "method: local\n");
  for (const std::string cell : {"data.label==1+1", "data.label='@x'", "data.id=-1", "data.id=+1"})
    EXPECT_NE(complaint(dir, {"show", config, "--set", cell}).find("must be a column name that"),
              std::string::npos)
        << cell;
  EXPECT_NE(complaint(dir, {"show", config, "--set", "data.dataset=../x"}).find("must be a name"),
            std::string::npos);
}

TEST(Hostile, merge_writes_nothing_outside_its_folder) {
  TempDir dir;
  const std::string run = "/../../payload";
  {
    const Store store(dir / "evil", "w");
    Manifest manifest;
    manifest.plan = {{"c", run, 0, "g", "k", 1}};
    write_manifest(store, manifest);
  }
  dir.write("payload.csv", run_file_text(run, run_record({}, run, {}, 1, {"c", "c", 1, "g"})));
  fs::create_directories(dir / "out/x");
  const std::string said = complaint(dir, {"merge", dir / "evil", "--out", dir / "out/x"});
  EXPECT_NE(said.find("a line of its plan has no name"), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(dir / "out/payload.csv"));
}

TEST(Hostile, links_in_a_result_directory_are_not_followed) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "name: c\ntrain: {rounds: 1}\n");
  const std::string precious = dir.write("precious", "keep me");
  const auto run = [&] { return complaint(dir, {"run", config, "--out", dir / "out"}); };
  fs::create_directories(dir / "out/locks");
  fs::create_symlink(precious, dir / "out/locks/sweep.lock");
  EXPECT_NE(run().find("sweep.lock: not a plain file; move it away"), std::string::npos);
  fs::remove_all(dir / "out");
  fs::create_directories(dir / "out");
  fs::create_directories(dir / "elsewhere");
  fs::create_symlink(dir / "elsewhere", dir / "out/runs");
  EXPECT_NE(run().find("runs: not a directory of its own; move it away"), std::string::npos);
  fs::remove(dir / "out/runs");
  for (const char* name : {"results.csv", "runs.csv", "manifest.json", ".results.csv.single.tmp"})
    fs::create_symlink(precious, dir / ("out/" + std::string(name)));
  const auto ended = maskbench(dir, {"run", config, "--out", dir / "out"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_FALSE(fs::is_symlink(dir / "out/results.csv"));
  EXPECT_FALSE(fs::is_symlink(dir / "out/runs.csv"));
  EXPECT_EQ(read_file(precious), "keep me");
  EXPECT_TRUE(fs::is_empty(dir / "elsewhere"));
}

TEST(Hostile, control_characters_never_reach_the_terminal) {
  EXPECT_EQ(one_line("a\nb\tc\x1b[31m\r\x7f\xc2\x9b\xc3\xa9"),
            "a b c\\x1b[31m\\x0d\\x7f\\x9b\xc3\xa9");
  EXPECT_EQ(one_line("\u202egpj.exe \u2066\ufeff\u20ac"), "\\u202egpj.exe \\u2066\\ufeff\u20ac");
  EXPECT_EQ(one_line("\xff\xc2"), "\\xff\\xc2");
  TempDir dir;
  const std::string said = complaint(dir, {"run", dir / "\x1b[31mred\r.yaml"});
  EXPECT_EQ(said.find('\x1b'), std::string::npos);
  EXPECT_EQ(said.find('\r'), std::string::npos);
  EXPECT_NE(said.find("\\x1b[31mred\\x0d.yaml"), std::string::npos) << said;
  const std::string config = dir.write("c.yaml", "\"tr\\e[31m\": 1\n");
  EXPECT_EQ(complaint(dir, {"show", config}).find('\x1b'), std::string::npos);
}

TEST(Hostile, shards_are_two_plain_numbers) {
  for (const char* bad : {"", "/", "1", "1/", "/1", "0/1", "2/1", "1/-1", "-1/2", "+1/2", " 1/2",
                          "1/2 ", "1/2/3", "1/0x2", "3/99999999999999999999999", "1/1000001",
                          "18446744073709551617/18446744073709551617"})
    EXPECT_FALSE(parse_shard(bad)) << bad;
  const auto shard = parse_shard("3/4");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->index, 2u);
  EXPECT_EQ(shard->count, 4u);
  TempDir dir;
  const std::string config = dir.write("c.yaml", "repeats: 4\n");
  EXPECT_NE(complaint(dir, {"run", config, "--shard", "1/-1"}).find("i/N"), std::string::npos);
}

TEST(Hostile, calibrate_takes_what_a_run_can_have) {
  TempDir dir;
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--rounds", "9223372036854775807"},  // would count for ever
           {"--rounds", "0"},
           {"--depth", "-1"},
           {"--n", "99999999999999999999"},
           {"--n", "0"},
           {"--n-active", "-1"},
           {"--candidates", "-1"},
           {"--candidates", "9223372036854775807"},
           {"--W", "257"},
           {"--ratio", "nan"},
           {"--ratio", "-1"},
           {"--eps-ap", "nan"},
           {"--delta-ap", "0"},
           {"--delta-pp", "nan"},
           {"--delta-pp", "2"},
           {"--eps-pp", "inf"}}) {
    const std::string said = complaint(dir, {"calibrate", option + "=" + value});
    EXPECT_NE(said.find(option), std::string::npos) << said;
  }
}

TEST(Hostile, a_party_waits_for_a_number_of_seconds) {
  TempDir dir;
  for (const std::string option : {"--wait", "--timeout"})
    EXPECT_NE(complaint(dir, {"party", "c.yaml", option, "nan"}).find(option), std::string::npos);
}

// Every method on features that cannot be cut: rows or one line, never a signal, and no NaN.
TEST(Hostile, constant_features_end_in_rows_or_one_line) {
  TempDir dir;
  std::string table = "label,a,b,c\n";
  for (int i = 0; i < 200; ++i) table += std::to_string(i % 2) + ",1,2,3\n";
  dir.write("k.csv", table);
  const std::string config = dir.write(
      "c.yaml",
      "data: {source: file, dataset: k}\ntrain: {rounds: 1}\npaillier.key_bits: 1024\n"
      "axes:\n  method: [nonprivate, local, random-split, masked, xgb-ldp, fedxgb-ldp, federboost, "
      "label-rr, bilateral-rr, smm, paillier]\n"
      "  attack.name: [none, label-subspace, label-average, leaf, attribute-minsum]\n");
  const auto ended =
      maskbench(dir, {"run", config, "--data-dir", dir / "", "--out", dir / "out"}, kReal);
  EXPECT_LE(ended.code, 1) << ended.err;
  size_t rows = 0;
  const auto look = [&](const std::string& file, const Columns& columns) {
    const std::string text = read_file(dir / ("out/" + file));
    CsvReader reader(text);
    for (CsvRow row; reader.next(row); ++rows) {
      const std::string reason = columns.cell(row, "reason");
      EXPECT_EQ(reason.find("fault of the program"), std::string::npos) << reason;
      EXPECT_EQ(reason.find("nothing was sent"), std::string::npos) << reason;
      for (const auto& cell : row) EXPECT_TRUE(cell != "nan" && cell != "-nan") << file;
    }
  };
  look("runs.csv", run_columns());
  look("results.csv", number_columns());
  EXPECT_GT(rows, 100u);
}

// Numbers that a float cannot hold are an error, not a row of what came of them.
TEST(Hostile, margins_without_end_are_one_line) {
  TempDir dir;
  const std::string config = dir.write(
      "c.yaml", "data: {source: synthetic, dataset: adult, rows: 300}\ntrain: {rounds: 2}\n");
  for (const std::string setting :
       {"train.learning_rate=1e308", "late_fusion.learning_rate=1e308"}) {
    const auto ended = maskbench(
        dir,
        {"run", config, "--out", dir / setting, "--set", "method=[late-fusion]", "--set", setting},
        {{"REAL_RUNS", "1"}});
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_NE(ended.err.find("failed: a leaf's weight is beyond 1e30: use a smaller learning_rate"),
              std::string::npos)
        << ended.err;
  }
  EXPECT_NE(complaint(dir, {"show", config, "--set", "late_fusion.weight=1e308"})
                .find("must be a number from 0 to 1000000"),
            std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need all the room
TEST(Hostile, threads_that_cannot_be_started_are_an_error) {
  TempDir dir;
  const std::string config = dir.write(
      "c.yaml", "data: {source: synthetic, dataset: adult, rows: 300}\ntrain: {rounds: 1}\n");
  const auto ended = maskbench(dir, {"run", config, "--threads", "400", "--out", dir / "out"},
                               {{"REAL_RUNS", "1"}, {"FAKE_MEMORY_LIMIT", "1000000000"}});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(read_file(dir / "out/runs.csv").find("the system refuses: "), std::string::npos);
}
#endif

}  // namespace
}  // namespace maskbench::testing
