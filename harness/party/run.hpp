#pragma once

#include <functional>
#include <string>

#include "harness/base/spec.hpp"
#include "harness/exchange/channel.hpp"
#include "harness/exchange/grpc/connect.hpp"
#include "harness/exchange/stream_link.hpp"

namespace maskbench {

// One party's part of a training or of a prediction between two processes.
struct PartyJob {
  Party role = Party::ap;
  RunSpec spec;
  std::string group;  // for people, of the plan
  std::string data;   // the party's own file
  std::string out;    // its own folder
  std::string model;  // predict: the folder with its model part
  int threads = 1;
  bool resume = false;
  Endpoint endpoint;
  std::chrono::milliseconds patience{600'000};  // for a message
};

// Throws Error if the run cannot be done between two processes; changes what names its data.
void make_distributed(RunSpec& spec);

// Connects, and runs `talk` with the link and a channel for what is said before and after the
// training. If it fails, the peer is told that it did, but not why: that may tell of the data.
using Talk = std::function<void(StreamLink& link, Channel& setup)>;
void talk_with_peer(const PartyJob& job, const Talk& talk);

// Trains and leaves in job.out what the party may know: its model part, its metrics, its ledger.
void train_party(const PartyJob& job);

// Predicts the rows of job.data by both parts of a model. AP writes job.out/predictions.csv.
void predict_party(const PartyJob& job);

}  // namespace maskbench
