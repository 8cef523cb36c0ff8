#include "harness/party/progress.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "tests/support/scratch_dir.hpp"

namespace maskbench {
namespace {

// A kept tree that changed on the disk would be trained on, and its rows lead outside of memory.
TEST(Progress, with_any_bit_flipped_or_cut_at_any_byte_is_refused) {
  ScratchDir dir;
  const Progress progress(dir / "progress");
  progress.begin({"method=masked\n", "abc", 7, 3, "mine", ""});
  const privacy::Ledger ledger(privacy::Unit::record);
  const PastTree past{{}, {}, {0, 1, 1, 0}};
  progress.keep(0, past, ledger, {});
  EXPECT_EQ(progress.load(0, privacy::Unit::record).tree.leaf_of_row, past.leaf_of_row);
  ASSERT_TRUE(progress.run());
  EXPECT_EQ(progress.run()->config, "method=masked\n");
  progress.note({"method=masked\n", "abc", 7, 3, "mine", "theirs"});
  EXPECT_EQ(progress.run()->peer, "theirs");
  EXPECT_EQ(progress.trees(), 1);

  const std::string path = dir / "progress/tree-00000.cbor", good = read_file(path);
  const auto is_refused = [&](const std::string& text) {
    dir.write("progress/tree-00000.cbor", text);
    try {
      progress.load(0, privacy::Unit::record);
    } catch (const Error& error) {
      return error.what() == path + ": damaged; train anew without --resume";
    }
    return false;
  };
  for (size_t at = 0; at < good.size(); ++at) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
    ASSERT_TRUE(is_refused(flipped)) << at;
    ASSERT_TRUE(is_refused(good.substr(0, at))) << at;
  }
}

}  // namespace
}  // namespace maskbench
