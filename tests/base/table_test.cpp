#include "harness/base/table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "harness/base/terminal.hpp"

namespace maskbench {
namespace {

const Table kTable = {{"run", "test_auc", "seconds_per_tree", "run_seconds"},
                      {"data.dataset=adult method=masked privacy.eps_ap=0.5", "0.8731 ± 0.002",
                       "0.0921 ± 0.01", "12.2"},
                      {"é", "1", "2", "3"}};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TableText, aligns_by_characters_not_bytes) {
  EXPECT_EQ(table_text({{"a", "b"}, {"é±", "1 ± 2"}}, 80), "a       b\né±  1 ± 2\n");
}

TEST(TableText, fits_every_width_and_never_cuts_a_number) {
  for (size_t width = 40; width < 130; ++width) {
    const std::string text = table_text(kTable, width);
    const auto lines = lines_of(text);
    for (size_t i = 0; i < kTable.size(); ++i) EXPECT_LE(text_width(lines[i]), width) << text;
    for (size_t column = 1; column < kTable[1].size(); ++column) {
      const bool shown = lines[0].find(kTable[0][column]) != std::string::npos;
      EXPECT_EQ(lines[1].find(kTable[1][column]) != std::string::npos, shown) << text;
      // what is not shown is named below the table
      EXPECT_EQ(lines.back().find(kTable[0][column]) != std::string::npos, !shown) << text;
    }
  }
}

TEST(TableText, control_characters_stay_out) {
  EXPECT_EQ(table_text({{"a\033[2J", "b\n"}}, 80), "a\\x1b[2J  b\n");
}

TEST(CutTo, keeps_whole_characters) {
  EXPECT_EQ(cut_to("abc", 3), "abc");
  EXPECT_EQ(cut_to("abcd", 3), "ab…");
  EXPECT_EQ(cut_to("éèêë", 3), "éè…");
}

TEST(Wrapped, breaks_at_blanks_and_keeps_every_word) {
  EXPECT_EQ(wrapped("one two  three", 20), "one two  three\n");
  EXPECT_EQ(wrapped("one two  three", 9), "one two\n    three\n");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("a verylongword b", 8), "a\n    verylongword\n    b\n");
  EXPECT_EQ(wrapped("ä ö", 3), "ä ö\n");
}

TEST(TerminalOf, follows_the_environment_and_paints_only_terminals) {
  setenv("COLUMNS", "100", 1);
  std::FILE* file = std::tmpfile();
  Terminal terminal = terminal_of(file);
  EXPECT_EQ(terminal.width, 100u);
  EXPECT_FALSE(terminal.is_live);
  EXPECT_EQ(terminal.paint("x", Colour::red), "x");
  terminal.has_colour = true;
  EXPECT_EQ(terminal.paint("x", Colour::red), "\033[31mx\033[0m");
  setenv("COLUMNS", "1", 1);
  EXPECT_EQ(terminal_of(file).width, 40u);
  unsetenv("COLUMNS");
  EXPECT_EQ(terminal_of(file).width, 80u);
  std::fclose(file);
}

}  // namespace
}  // namespace maskbench
