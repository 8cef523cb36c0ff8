// Folders of parties that a stranger made: one line each, without a library's words.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/party/output.hpp"
#include "tests/support/scratch_dir.hpp"

namespace maskbench {
namespace {

using Json = nlohmann::json;

class MergeParties : public testing::Test {
 protected:
  static Json info(const char* role) {
    return {{"format", "maskbench-party-1"},
            {"role", role},
            {"run", "r1"},
            {"config", "c"},
            {"group", "masked c"},
            {"repeat", 0},
            {"keys", "k"},
            {"commit", "x"},
            {"data_sha256", "y"},
            {"command", ""}};
  }
  // What is said of AP's folder with this party.json.
  std::string said_of(const std::string& text) {
    dir_.write("a/party.json", text);
    dir_.write("b/party.json", info("PP").dump());
    try {
      merge_parties(dir_ / "a", dir_ / "b", dir_ / "out", false);
    } catch (const Error& error) {
      return std::string(error.what()).substr((dir_ / "a/").size());
    }
    return "nothing";
  }
  std::string said_with(const char* key, const Json& value) {
    Json changed = info("AP");
    changed[key] = value;
    return said_of(changed.dump());
  }
  void SetUp() override {
    for (const char* name : {"a", "b"}) std::filesystem::create_directory(dir_ / name);
  }
  ScratchDir dir_;
};

TEST_F(MergeParties, a_strange_party_json_is_one_line) {
  const std::string place = "party.json: not a party's: ";
  for (const char* text : {"", "\xff", "[]", "3", "{\"format\": "})
    EXPECT_EQ(said_of(text), place + "it is no JSON") << text;
  EXPECT_EQ(said_of(std::string(100'000, '[')), place + "it is no JSON");
  EXPECT_EQ(said_with("format", 7), place + "of another version");
  EXPECT_EQ(said_with("keys", Json::array()), place + "'keys' is missing");
  const std::string cannot_be = place + "a name or a number in it cannot be";
  EXPECT_EQ(said_with("run", "../../x"), cannot_be);
  EXPECT_EQ(said_with("config", "\x1b[31m"), cannot_be);
  EXPECT_EQ(said_with("repeat", 1e99), cannot_be);
  EXPECT_EQ(said_with("repeat", -1), cannot_be);
  EXPECT_EQ(said_with("command", 3), cannot_be);
  EXPECT_EQ(said_of(info("AP").dump()).find("party.json"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(MergeParties, a_link_to_a_party_json_is_not_read) {
  std::filesystem::create_symlink(dir_.write("secret.json", info("AP").dump()),
                                  dir_ / "a/party.json");
  dir_.write("b/party.json", info("PP").dump());
  EXPECT_THROW(merge_parties(dir_ / "a", dir_ / "b", dir_ / "out", false), Error);
}

}  // namespace
}  // namespace maskbench
