#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "attacks/attack.hpp"
#include "attacks/audit.hpp"

// Everything that crossed in a training, as numbers in places that are the same in every training,
// for a reader who knows nothing of the protocol: lengths, the first values of each message read as
// bytes, integers and fractions, their remainders by powers of two, their change since the tree
// before. Two neighbouring inputs are told apart by the place that tells most. Times are left out.
namespace maskbench {

// One number of a transcript: of which message, and how it was read.
struct TranscriptPlace {
  Party from;
  Kind kind;
  int tree, depth, number;  // the number-th message of that kind and level
  int reading, element;

  auto operator<=>(const TranscriptPlace&) const = default;
};
std::string text_of(const TranscriptPlace& place);

using Transcript = std::vector<std::pair<TranscriptPlace, double>>;
Transcript transcript_of(std::span<const Message> messages);

struct TranscriptBound {
  EpsBound bound;
  std::string place;  // where it was read
};

// The trainings of two neighbouring inputs, as many of each. The place is chosen among those whose
// distributions differ most in the first half of the trainings, and judged on the second.
TranscriptBound tell_apart(const std::vector<Transcript>& zero, const std::vector<Transcript>& one,
                           double delta);

}  // namespace maskbench
