#include "harness/data/csv.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <random>

#include "harness/base/error.hpp"
#include "harness/data/csv_chunk.hpp"
#include "harness/data/utf8.hpp"
#include "tests/support/scratch_dir.hpp"

namespace maskbench {
namespace {

using Texts = std::vector<std::string>;
using Floats = std::vector<float>;

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

class Csv : public testing::Test {
 protected:
  Dataset read(std::string_view bytes, const CsvOptions& options = {}, int threads = 1) {
    ThreadPool pool(threads);
    return read_csv(dir_.write("t.csv", bytes), options, pool);
  }

  // The error's text after the path.
  std::string error_of(std::string_view bytes, const CsvOptions& options = {}) {
    try {
      read(bytes, options);
    } catch (const Error& error) {
      const std::string text = error.what(), path = dir_.path() + "/t.csv:";
      EXPECT_EQ(text.substr(0, path.size()), path);
      EXPECT_EQ(text.find('\n'), std::string::npos);
      EXPECT_TRUE(is_utf8(text));
      return text.substr(std::min(path.size(), text.size()));
    }
    return "no error";
  }

  ScratchDir dir_;
};

TEST_F(Csv, reads_numbers_categories_and_missing_values) {
  const Dataset data = read("label,a,b\n1,1.5,red\n0,,blue\n1,-2e3,\n0,+7,red\n");
  EXPECT_EQ(data.labels, (Floats{1, 0, 1, 0}));
  ASSERT_EQ(data.features.size(), 2u);
  EXPECT_EQ(data.features[0].name, "a");
  EXPECT_FALSE(data.features[0].is_categorical());
  EXPECT_EQ(data.features[0].values[0], 1.5f);
  EXPECT_TRUE(std::isnan(data.features[0].values[1]));
  EXPECT_EQ(data.features[0].values[2], -2000.0f);
  EXPECT_EQ(data.features[0].values[3], 7.0f);
  EXPECT_EQ(data.features[1].categories, (Texts{"blue", "red"}));
  EXPECT_EQ(data.features[1].values[0], 1.0f);
  EXPECT_EQ(data.features[1].values[1], 0.0f);
  EXPECT_TRUE(std::isnan(data.features[1].values[2]));
  EXPECT_EQ(data.source, "file");
}

TEST_F(Csv, takes_the_usual_dialects) {
  const Floats labels = {1, 0}, values = {3, 4};
  for (const char* text : {"label,a\n1,3\n0,4\n", "label,a\n1,3\n0,4", "label,a\r\n1,3\r\n0,4\r\n",
                           "\xEF\xBB\xBFlabel,a\n1,3\n0,4\n", "label,a\n\n1,3\n\r\n0,4\n\n",
                           "label, a\n1, 3\n0 ,4\t\n", "\"label\",\"a\"\n\"1\",\"3\"\r\n0,\"4\"",
                           "label,a\n1.0,3\n0e0,4.\n"}) {
    const Dataset data = read(text);
    EXPECT_EQ(data.labels, labels) << text;
    EXPECT_EQ(data.features.at(0).name, "a") << text;
    EXPECT_EQ(data.features.at(0).values, values) << text;
  }
}

TEST_F(Csv, quoted_fields_hold_commas_quotes_and_line_ends) {
  const Dataset data = read("label,\"a,\"\"x\"\"\"\n1,\"p,\"\"q\"\"\nr\"\n0,\"\"\n1,\" s \"\n");
  EXPECT_EQ(data.features[0].name, "a,\"x\"");
  EXPECT_EQ(data.features[0].categories, (Texts{" s ", "p,\"q\"\nr"}));
  EXPECT_TRUE(std::isnan(data.features[0].values[1]));
  EXPECT_EQ(error_of("label,a\n1,\"p\nq\"\n7,x\n"), "4:1: label '7'; write 0 or 1");
}

TEST_F(Csv, regression_labels_options_and_headers_without_label) {
  EXPECT_EQ(read("label,a\n-2.5,3\n", {.regression = true}).labels, (Floats{-2.5f}));
  const Dataset unlabelled = read("a,b\n5,6\n", {.label_required = false});
  EXPECT_TRUE(std::isnan(unlabelled.labels.at(0)));
  EXPECT_EQ(unlabelled.features.at(1).values, (Floats{6}));
  const Dataset text = read("label,a\n1,10\n0,9\n", {.text_columns = {"a"}});
  EXPECT_EQ(text.features[0].categories, (Texts{"10", "9"}));
}

TEST_F(Csv, the_label_stands_anywhere_and_columns_can_be_left_out) {
  const Dataset data =
      read("id,a,target,b\nx,3,1,5\ny,4,0,6\n", {.label = "target", .drop = {"id", "b"}});
  EXPECT_EQ(data.labels, (Floats{1, 0}));
  ASSERT_EQ(data.features.size(), 1u);
  EXPECT_EQ(data.features[0].name, "a");
  EXPECT_EQ(data.features[0].values, (Floats{3, 4}));
  EXPECT_EQ(error_of("label,a\n1,2\n", {.drop = {"b"}}),
            "1:1: no column 'b', which data.drop or data.id names; did you mean 'a'?");
  EXPECT_EQ(
      error_of("targt,a\n1,2\n", {.label = "target"}),
      "1:1: no column 'target' for the labels; did you mean 'targt'?; name the target's column "
      "in data.label (there are targt, a)");
  EXPECT_EQ(error_of("label,a\n1,2\n", {.drop = {"a"}}),
            "1:1: no column but label; add the features");
  EXPECT_EQ(error_of("a,label,b\n1,2,3\n"), "2:3: label '2'; write 0 or 1");
}

TEST_F(Csv, errors_name_line_column_and_remedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"1,2\n0,3\n", "1:1: no header; put the columns' names in the first line"},
      {"y,a\n1,2\n",
       "1:1: no column 'label' for the labels; name the target's column in data.label (there are "
       "y, "
       "a)"},
      {"label\n1\n", "1:1: no column but label; add the features"},
      {"label,a,a\n1,2,3\n", "1:9: a second column 'a'; rename one"},
      {"label,,a\n1,2,3\n", "1:1: column 2 has no name; give it one"},
      {"label,a\n", "2:1: no row after the header; add rows"},
      {"label,a\n1,2\n2,3\n", "3:1: label '2'; write 0 or 1"},
      {"label,a\n1,2\n,3\n", "3:1: label ''; write 0 or 1"},
      {"label,a\n1,2\nnan,3\n", "3:1: label 'nan'; write 0 or 1"},
      {"label,a\n1,2\ninf,3\n", "3:1: label 'inf'; write 0 or 1"},
      {"label,a\n1,2\n0,3,4\n", "3:1: 3 fields where the header has 2; mend the row"},
      {"label,a,b\n1,2,3\n0,3\n", "3:1: 2 fields where the header has 3; mend the row"},
      {"label,a\n1,x\xff\n", "2:3: 'x?' is not UTF-8; convert the file, e.g. by iconv -t UTF-8"},
      {"label,\xc3\x28\n1,1\n",
       "1:7: column name '?(' is not UTF-8; convert the file, e.g. by iconv -t UTF-8"},
      {"label,a\n1,1e99\n", "2:3: '1e99' is beyond a float's range; rescale the column"},
      {"label,a\n1,2\n0,x\"y\n",
       "3:3: a quote inside an unquoted field; put the field in quotes and double the quote"},
      {"label,a\n1,\"x\"y\n",
       "2:3: text after a closing quote; double a quote that belongs to the field"},
      {"label,a\n1,\"x\n0,3\n",
       "2:3: a quoted field does not end within 4096 bytes; close its quote"},
      {"label,a\n1,5\n0,NA\n",
       "3:3: 'NA' among the numbers of column 'a'; leave a missing value empty"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error_of(text), expected) << text;
  EXPECT_EQ(error_of(""), " the file is empty; it needs a header and rows");
  for (const char* label : {"nan", "inf", "-inf", "x", ""}) {
    EXPECT_EQ(error_of(fmt::format("label,a\n1,2\n{},3\n", label), {.regression = true}),
              fmt::format("3:1: label '{}'; write a finite number", label));
  }
}

TEST_F(Csv, absurdly_long_fields_and_lines_are_refused) {
  const std::string digits(5000, '7');
  EXPECT_EQ(error_of("label,a\n1,2\n0," + digits + "\n"),
            "3:3: a field of 5000 bytes, the limit is 4096; shorten it");
  std::string line = "0";
  while (line.size() < 3'000'000) line += ",1234567";
  EXPECT_EQ(error_of("label,a\n1,2\n" + line + "\n1,2\n").substr(0, 4), "3:10");
  EXPECT_NE(error_of(std::string(3'000'000, ' ')), "no error");
  EXPECT_NE(error_of("label,a\n1,\"" + std::string(3'000'000, '\n')), "no error");
}

// A gzip file of a few megabytes may stand for more than there is memory.
TEST_F(Csv, a_table_larger_than_asked_for_is_refused_while_it_is_read) {
  std::string rows = "label,a\n";
  for (int i = 0; i < 50'000; ++i) rows += "1,2\n";
  CsvOptions options;
  options.most_bytes = 50'000 * 2 * sizeof(float);
  EXPECT_EQ(read(gzipped(rows), options).rows(), 50'000u);
  for (int i = 0; i < 1'000'000; ++i) rows += "1,2\n";
  const std::string said = error_of(gzipped(rows), options);
  EXPECT_NE(said.find(": a table of over 0 MB"), std::string::npos) << said;
  EXPECT_LT(std::stoi(said), 600'000) << "read to its end";
  std::string texts = "label,a\n";
  for (int i = 0; i < 4'000; ++i) texts += fmt::format("1,text {:090}\n", i);
  options.most_bytes = 400'000;
  EXPECT_NE(error_of(texts, options).find("a table of over"), std::string::npos);
}

TEST_F(Csv, missing_truncated_and_corrupt_files_are_named) {
  ThreadPool pool(1);
  const auto error = [&](const std::string& path) -> std::string {
    try {
      read_csv(path, {}, pool);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  std::string text = "label,a\n";
  for (int i = 0; i < 50000; ++i) text += fmt::format("{},{}\n", i % 2, i * 7919 % 10007);
  const std::string gz = gzipped(text);
  const std::string good = dir_.write("good.csv.gz", gz);
  EXPECT_EQ(read_csv(good, {}, pool).rows(), 50000u);
  const std::string cut = dir_.write("cut.csv.gz", std::string_view(gz).substr(0, gz.size() / 2));
  EXPECT_EQ(error(cut), cut + ": the gzip stream ends too early; fetch the file again");
  const std::string tail = dir_.write("tail.csv.gz", std::string_view(gz).substr(0, gz.size() - 4));
  EXPECT_EQ(error(tail), tail + ": the gzip stream ends too early; fetch the file again");
  std::string damaged = gz;
  for (size_t i = gz.size() / 2; i < gz.size() / 2 + 50; ++i) damaged[i] ^= 0x55;
  const std::string corrupt = dir_.write("corrupt.csv.gz", damaged);
  EXPECT_NE(error(corrupt).find(": the gzip stream is corrupt ("), std::string::npos);
  const std::string behind = dir_.write("behind.csv.gz", gz + "1,2\n");
  EXPECT_EQ(error(behind), behind + ": what follows the gzip stream is none; fetch the file again");
  const std::string second = dir_.write("second.csv.gz", gz + "\x1f_" + gz.substr(2));
  EXPECT_NE(error(second).find(": the gzip stream is corrupt ("), std::string::npos);
  const std::string two = gz + gzipped("1,2\n") + std::string(700, '\0');
  EXPECT_EQ(read_csv(dir_.write("two.csv.gz", two), {}, pool).rows(), 50001u);
  const std::string twice = dir_.write("twice.csv.gz", gzipped(gz));
  EXPECT_NE(error(twice).find("is not UTF-8"), std::string::npos);
  const std::string pipe = dir_.path() + "/pipe.csv";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error(pipe), pipe + ": is a pipe; write it to a file first");
  EXPECT_EQ(error(dir_.path() + "/none.csv"),
            dir_.path() + "/none.csv: No such file or directory; check the path and its rights");
  EXPECT_EQ(error(dir_.path()), dir_.path() + ": is a directory; name a .csv or .csv.gz file");
}

TEST_F(Csv, a_stray_text_among_numbers_is_refused_unless_the_column_is_named) {
  std::string text = "label,x,y\n";
  for (int i = 0; i < 2000; ++i) text += i == 1500 ? "0,1O,3\n" : "1,10,3\n";
  EXPECT_EQ(
      error_of(text),
      "1502:3: '1O' among the numbers of column 'x'; 1 of its 2000 cells are text: mend them, "
      "or name the column in data.text_columns if it is meant as categories");
  EXPECT_EQ(read(text, {.text_columns = {"x"}}).features[0].categories, (Texts{"10", "1O"}));
  EXPECT_EQ(error_of(text, {.text_columns = {"z"}}),
            "1:1: no column 'z', which data.text_columns names; did you mean 'x'?");
  // Nine numbers for a text are a slip, eight may be meant.
  std::string mixed = "label,x\n";
  for (int i = 0; i < 8; ++i) mixed += "1,10\n";
  EXPECT_EQ(read(mixed + "0,a\n").features[0].categories, (Texts{"10", "a"}));
  EXPECT_NE(error_of(mixed + "0,a\n0,10\n"), "no error");
}

std::string large_file(size_t rows, size_t late_text_row) {
  std::mt19937 engine(9);
  std::string text = "label,num,cat,late,quoted\n";
  for (size_t i = 0; i < rows; ++i) {
    text +=
        fmt::format("{},{}.{},k{},", engine() % 2, engine() % 1000, engine() % 1000, engine() % 30);
    text += i >= late_text_row ? "07x," : fmt::format("0{},", engine() % 9);
    text += engine() % 3 ? fmt::format("\"a,\n{}\"\n", engine() % 5) : "\n";
  }
  return text;
}

void expect_equal(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.labels, b.labels);
  ASSERT_EQ(a.features.size(), b.features.size());
  for (size_t f = 0; f < a.features.size(); ++f) {
    EXPECT_EQ(a.features[f].categories, b.features[f].categories);
    ASSERT_EQ(a.features[f].values.size(), b.features[f].values.size());
    for (size_t i = 0; i < a.rows(); ++i) {
      const float x = a.features[f].values[i], y = b.features[f].values[i];
      ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << f << " " << i;
    }
  }
}

TEST_F(Csv, many_blocks_threads_and_gzip_give_the_same_table) {
  const std::string text = large_file(200'000, 150'000);
  ASSERT_GT(text.size(), 4'000'000u);  // over a batch of blocks
  const Dataset one = read(text, {}, 1);
  expect_equal(one, read(text, {}, 3));
  ThreadPool pool(2);
  expect_equal(one, read_csv(dir_.write("t.csv.gz", gzipped(text)), {}, pool));
  ASSERT_EQ(one.rows(), 200'000u);
  // A text cell far behind makes the whole column text, with the texts as written before it.
  ASSERT_EQ(one.features[2].categories.size(), 10u);
  EXPECT_EQ(one.features[2].categories[0], "00");
  EXPECT_EQ(one.features[2].categories[8], "07x");
  EXPECT_EQ(one.features[2].values[150'000], 8.0f);
  // The same table, parsed in one piece.
  const CsvSchema schema{{"num", "cat", "late", "quoted"},
                         {false, true, true, true},
                         {CsvSchema::kLabel, 0, 1, 2, 3},
                         true,
                         false};
  const CsvChunk whole = parse_chunk(std::string_view(text).substr(text.find('\n') + 1), schema);
  EXPECT_EQ(whole.labels, one.labels);
  EXPECT_EQ(whole.columns[0], one.features[0].values);
  for (size_t i = 0; i < one.rows(); ++i) {
    const auto& texts = whole.dictionaries[1].texts();
    ASSERT_EQ(texts[static_cast<size_t>(whole.columns[1][i])],
              one.features[1].categories[static_cast<size_t>(one.features[1].values[i])]);
  }
}

TEST_F(Csv, an_error_far_behind_has_its_true_line) {
  std::string text = large_file(200'000, 1);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  text += "0,1,2,3,4\n0,1,2,3\n0,1\n";
  EXPECT_EQ(error_of(text),
            fmt::format("{}:1: 4 fields where the header has 5; mend the row", lines + 2));
}

TEST_F(Csv, random_damage_never_breaks_the_reader) {
  const std::string valid = "label,a,\"b\",c\r\n1,2.5,\"x,\"\"y\",\n0,-1e3,z,7\n1,,\"p\nq\",8\n";
  static constexpr std::string_view kBytes = "\",\n\r\0 01-+.e\xff\xc3\xa4nainf";
  std::mt19937 engine(2024);
  size_t loaded = 0, refused = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    std::string text = valid;
    for (uint32_t k = engine() % 6; k > 0; --k) {
      const size_t at = engine() % (text.size() + 1);
      const char byte = kBytes[engine() % kBytes.size()];
      if (engine() % 3 == 0) text.insert(at, 1, byte);
      if (engine() % 3 == 0) text.erase(at, engine() % 4);
      if (engine() % 3 == 0 && at < text.size()) text[at] = byte;
      if (engine() % 9 == 0) text.insert(at, text.substr(engine() % text.size()));
      if (text.empty()) text = valid;
    }
    if (engine() % 8 == 0) text = gzipped(text);
    if (engine() % 16 == 0) text[engine() % text.size()] ^= static_cast<char>(1 + engine() % 255);
    const std::string error = error_of(text, {.regression = engine() % 2 == 0});
    ++(error == "no error" ? loaded : refused);
    EXPECT_NE(error, "");
  }
  EXPECT_GT(loaded, 100u);
  EXPECT_GT(refused, 300u);
}

TEST(ParseNumber, takes_finite_decimals_only) {
  float value = -1;
  const auto kind = [&](std::string_view text) { return parse_number(text, value); };
  EXPECT_EQ(kind("1e-60"), NumberKind::number);
  EXPECT_EQ(value, 0.0f);
  EXPECT_EQ(kind("0." + std::string(400, '0') + "1"), NumberKind::number);
  EXPECT_EQ(value, 0.0f);
  EXPECT_EQ(kind("1e-42"), NumberKind::number);
  EXPECT_EQ(value, 1e-42f);
  EXPECT_EQ(kind(".5"), NumberKind::number);
  EXPECT_EQ(value, 0.5f);
  EXPECT_EQ(kind("0.8692932"), NumberKind::number);
  EXPECT_EQ(value, 0.8692932f);
  for (const char* large : {"1e39", "-1e400", "1e999999999"}) {
    EXPECT_EQ(kind(large), NumberKind::too_large) << large;
  }
  for (const char* text : {"", "+", "-", ".", "+-1", "nan", "-inf", "0x10", "1,5", "1e", "1 2"}) {
    EXPECT_EQ(kind(text), NumberKind::text) << text;
  }
}

TEST(Utf8, is_strict) {
  EXPECT_TRUE(is_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                          "\xc3", "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_EQ(printable("a\nb\xff"), "a?b?");
  EXPECT_EQ(printable(std::string(39, 'x') + "\xc3\xa4"), std::string(39, 'x') + "?...");
}

}  // namespace
}  // namespace maskbench
