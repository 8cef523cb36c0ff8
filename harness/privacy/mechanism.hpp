#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "harness/base/enum_names.hpp"

namespace maskbench {
namespace privacy {

// What the reader is taken to know, each a superset of the one before. The theorems argue at
// `stated`: one message by itself, B unknown to its reader.
enum class View {
  stated,
  pair,      // <g> and <h> of a candidate together: they share B
  receiver,  // the other party as it is: PP drew B itself
  wire,      // everything that crosses, also what is sent in clear
};

// What covers a message, in numbers. Made by the functions below.
struct Mechanism {
  enum class Kind { gaussian, theorem3, response, encrypted };

  Kind kind = Kind::encrypted;
  double m_record = 0, m_vector = 0;  // gaussian: sensitivity over noise, for each unit
  int shared_W = 0;  // gaussian: g and h share W columns of B; 0: independent noise
  double R = 0;      // theorem3
  int W = 0;
  int64_t n_active = 0;
  double eps = 0;  // response
  int buckets = 0;

  static Mechanism gaussian(double m_record, double m_vector, int shared_W = 0);
  static Mechanism theorem3(double R, int W, int64_t n_active);
  static Mechanism response(double eps, int buckets = 2);
  static Mechanism encrypted();  // computational security: no differential privacy

  auto operator<=>(const Mechanism&) const = default;
};

// What no mechanism covers, or what a guarantee rests on.
struct Note {
  enum class Kind {
    exposed,  // no bound holds from the view `from` on
    caveat,   // what costs of unit record rest on as soon as several messages are added up
    premise,  // what every cost rests on
  };
  Kind kind = Kind::exposed;
  View from = View::wire;
  std::string reason;

  auto operator<=>(const Note&) const = default;
};

// Of every method whose next gradients come from clean leaves.
inline constexpr const char* kCleanLeavesCaveat =
    "only given the past: clean leaf weights carry one label into every later gradient";
inline constexpr const char* kNoNoise = "the noise is switched off";

}  // namespace privacy

template <>
inline constexpr auto kNames<privacy::View> = names("stated", "pair", "receiver", "wire");

}  // namespace maskbench
