#pragma once

#include <string>

#include "attacks/attack.hpp"

// The attacks, one file each. Adding one: a file, a line here, a line in harness/judge/catalog.cpp.
namespace maskbench {

AttackResult label_nn(const AttackInput& input);
AttackResult label_nn_decay(const AttackInput& input);
std::string label_nn_missing();  // why this build has no label-nn; empty: it has
AttackResult label_subspace(const AttackInput& input);
AttackResult label_average(const AttackInput& input);
AttackResult label_residue(const AttackInput& input);
AttackResult leaf(const AttackInput& input);
AttackResult attribute_minsum(const AttackInput& input);
AttackResult attribute_likelihood(const AttackInput& input);
AttackResult attribute_sums(const AttackInput& input);

}  // namespace maskbench
