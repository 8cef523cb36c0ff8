#pragma once

#include <string>
#include <vector>

#include "harness/exchange/channel.hpp"

namespace maskbench {

inline constexpr int kProtocolVersion = 3;

// What a party says first. All of it is public.
struct Greeting {
  int protocol = kProtocolVersion;
  Party role = Party::ap;
  std::string task = "train";  // or predict
  std::string commit;
  std::string config;  // canonical_text of the run
  bool resume = false;
  std::vector<std::string> text_columns;  // those of data.text_columns that are in its file
  int trees = 0;                          // that it has kept of an earlier training, cut short
  std::string training;                   // its own name of the training, drawn when it began
  std::string with;                       // the other's, if they have met before
};

// Says it and hears the peer's. Throws Error, the same line on both sides, unless the two fit.
Greeting greet(Channel& channel, const Greeting& mine);

// What is different, in a line; empty: they fit.
std::string difference(const Greeting& ap, const Greeting& pp);

// Throws Error unless each of data.text_columns is in the file of one of the two.
void expect_text_columns(const std::vector<std::string>& wanted, const Greeting& mine,
                         const Greeting& theirs);

// A text as a message, and back.
void send_text(Channel& channel, const std::string& text, const Price& price);
std::string receive_text(Channel& channel);

}  // namespace maskbench
