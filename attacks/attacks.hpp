#pragma once

#include "attacks/attack.hpp"

// The attacks, one file each. Adding one: a file, a line here, a line in harness/app/catalog.cpp.
namespace maskbench {

AttackResult label_subspace(const AttackInput& input);
AttackResult label_average(const AttackInput& input);
AttackResult leaf(const AttackInput& input);
AttackResult attribute_minsum(const AttackInput& input);
AttackResult attribute_likelihood(const AttackInput& input);

}  // namespace maskbench
