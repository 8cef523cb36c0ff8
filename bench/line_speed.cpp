// How fast a line between two processes is, with nothing computed: line_speed [TLS] [MB] [BOTH]
//   TLS   a folder of scripts/make_certificates.sh (ap/, pp/), or "plaintext" (default)
//   MB    how much is sent (default 1024), in pieces of 1 MiB
//   BOTH  1: both ways at once
// Prints GB/s and the processor seconds that a GB costs both processes together: what a training
// between two processes pays at least, and the yardstick for how near to it a run is.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "harness/exchange/grpc/connect.hpp"

using namespace maskbench;

namespace {

constexpr size_t kPiece = size_t{1} << 20;

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

double processor_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

void send(ByteStream& stream, size_t pieces) {
  const auto piece = std::make_shared<std::vector<std::byte>>(kPiece);
  for (size_t i = 0; i < pieces; ++i) stream.write(*piece, piece);
}

void take(ByteStream& stream, size_t pieces) {
  std::vector<std::byte> piece(kPiece);
  for (size_t i = 0; i < pieces; ++i) stream.read(piece);
}

std::unique_ptr<ByteStream> connect(Party me, const std::string& tls) {
  Endpoint endpoint{me, "127.0.0.1:7345", me == Party::ap, "", tls == "plaintext", {}};
  endpoint.patience = std::chrono::seconds(20);
  if (!endpoint.plaintext) endpoint.tls_dir = tls + (me == Party::ap ? "/ap" : "/pp");
  return connect_peer(endpoint);
}

// PP sends; AP takes and, if both ways are asked for, sends as well. When AP has everything it says
// a word, for which PP waits, so that nobody leaves while something is on its way.
double talk(Party me, ByteStream& stream, size_t pieces, bool both) {
  const bool sends = me == Party::pp || both, takes = me == Party::ap || both;
  const auto begin = std::chrono::steady_clock::now();
  std::thread sender([&] {
    if (sends) send(stream, pieces);
  });
  if (takes) take(stream, pieces);
  sender.join();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto word = std::make_shared<std::vector<std::byte>>(1);
  me == Party::ap ? stream.write(*word, word) : stream.read(*word);
  return seconds;
}

int measure(int argc, char** argv) {
  const std::string tls = argc > 1 ? argv[1] : "plaintext";
  const size_t megabytes = argc > 2 ? std::stoul(argv[2]) : 1024;
  const bool both = argc > 3 && std::string(argv[3]) == "1";
  const pid_t child = fork();
  if (child == 0) {
    const auto stream = connect(Party::pp, tls);
    talk(Party::pp, *stream, megabytes, both);
    _exit(0);
  }
  const auto stream = connect(Party::ap, tls);
  const double seconds = talk(Party::ap, *stream, megabytes, both);
  int status = 0;
  waitpid(child, &status, 0);
  const double gigabytes = (both ? 2.0 : 1.0) * static_cast<double>(megabytes * kPiece) / 1e9;
  const double processor = processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
  fmt::print("{} {}: {:.2f} GB/s, {:.2f} processor seconds a GB\n",
             tls == "plaintext" ? tls : "TLS", both ? "both ways" : "one way", gigabytes / seconds,
             processor / gigabytes);
  return status == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  return measure(argc, argv);
} catch (const std::exception& error) {
  fmt::print(stderr, "line_speed: {}\n", error.what());
  return 1;
}
