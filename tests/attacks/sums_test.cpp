#include <gtest/gtest.h>

#include "attacks/one_hot_solver.hpp"
#include "harness/base/random.hpp"
#include "harness/privacy/normal.hpp"
#include "tests/attacks/scene.hpp"

namespace maskbench {
namespace {

using Shares = OneHotSolver::Matrix;

struct Puzzle {
  OneHotSolver::Sparse A;
  Shares truth, prior;
};

// Random equations on rows that lie in one of four bins each.
Puzzle puzzle(int equations, int rows) {
  Draws draws(derive_key(3, "puzzle"));
  Shares dense(equations, rows);
  for (int e = 0; e < equations; ++e)
    for (int j = 0; j < rows; ++j)
      dense(e, j) = static_cast<float>(privacy::normal_quantile(draws.uniform() + 0x1p-54));
  Puzzle out{dense.sparseView(), Shares::Zero(rows, 4), Shares::Constant(rows, 4, 0.25f)};
  for (int j = 0; j < rows; ++j) out.truth(j, draws.below(4)) = 1;
  return out;
}

double share_right(const Puzzle& p, const Shares& S) {
  ThreadPool pool(2);
  const Shares x = OneHotSolver(p.A, pool).solve(S, p.prior);
  double right = 0;
  for (Eigen::Index j = 0; j < x.rows(); ++j) {
    Eigen::Index bin = 0;
    x.row(j).maxCoeff(&bin);
    right += p.truth(j, bin);
  }
  return right / static_cast<double>(x.rows());
}

// Fewer equations than unknown rows: the knowledge that each row has one bin does the rest.
TEST(OneHotSolver, solves_what_is_underdetermined_and_gains_by_equations) {
  const Puzzle few = puzzle(40, 400), many = puzzle(300, 400);
  const double weak = share_right(few, few.A * few.truth);
  EXPECT_GT(weak, 0.30);
  EXPECT_LT(weak, 0.60);
  EXPECT_GT(share_right(many, many.A * many.truth), 0.99);
}

TEST(OneHotSolver, is_blind_on_sums_of_other_rows) {
  const Puzzle p = puzzle(300, 400);
  Shares shuffled = p.truth.colwise().reverse();
  // Chance is 1/4; five standard errors of 400 rows are .11.
  EXPECT_NEAR(share_right(p, p.A * shuffled), 0.25, 0.11);
}

class AttributeSums : public testing::Test {
 protected:
  static std::map<std::string, double> seen(int trees) {
    static const toy::Parties p = toy::parties(400, 6, 31, 16);
    RunSpec spec = scene::spec("paillier", "attribute-sums");
    spec.paillier.key_bits = 1024;
    spec.train.max_depth = 4;
    spec.train.rounds = spec.attack.trees = trees;
    spec.attack.nodes = 1000;
    return scene::attack(spec, p);
  }
};

// Claim A4: AP reads PP's features out of the sums, the better the more trees it decrypts.
TEST_F(AttributeSums, read_the_bits_better_with_every_tree) {
  auto one = seen(1), more = seen(8);
  EXPECT_GT(one["balanced_bit_match"], 0.6);
  EXPECT_GT(more["balanced_bit_match"], one["balanced_bit_match"] + 0.1);
  EXPECT_GT(more["bit_match"], more["bit_match_floor"] + 0.1);
}

TEST_F(AttributeSums, skip_where_nothing_is_decrypted) {
  std::string reason;
  scene::attack(scene::spec("masked", "attribute-sums"), toy::parties(300, 6, 31, 16), &reason);
  EXPECT_NE(reason.find("decrypt no sums"), std::string::npos) << reason;
}

// Only the party that decrypted may use it.
TEST(Notes, belong_to_one_party_and_are_not_messages) {
  const std::vector<int> secret = {1, 2};
  Records records;
  Notebook& notes = records.of(Party::ap);
  notes.write<int>(Notebook::Topic::sums, {0}, secret);
  EXPECT_TRUE(notes.entries().empty());  // nobody asked
  notes.keep([](Notebook::Topic topic, const Tag&) { return topic == Notebook::Topic::sums; });
  notes.write<int>(Notebook::Topic::sums, {0}, secret);
  notes.write<int>(Notebook::Topic::choices, {0}, secret);
  ASSERT_EQ(notes.entries().size(), 1u);
  EXPECT_EQ(notes.entries()[0].as<int>(), secret);
  EXPECT_TRUE(records.of(Party::pp).entries().empty());
  EXPECT_EQ(records.tape.total_bytes(), 0u);
}

}  // namespace
}  // namespace maskbench
