#pragma once

#include "harness/base/enum_names.hpp"

namespace maskbench::privacy {

// What a stated (eps, delta) is taken to mean: the paper leaves it open, so it stands in every row.
enum class Scope { message, tree, level, training };  // what counts as one step
enum class Unit { record, vector };                   // what a neighbour may change
enum class Composition { basic, advanced, gdp, pld };
enum class MuKind { paper, label, range };   // how far g may move
enum class Theorem3Kind { printed, tight };  // tight: both directions, exact
enum class GaussianKind { printed, tight };  // s of theorem 2, or the analytic Gaussian mechanism
enum class Preset { paper, message, equal, sound };

struct Reading {
  Scope scope = Scope::message;
  Unit unit = Unit::record;
  Composition composition = Composition::advanced;
  MuKind mu = MuKind::paper;
  Theorem3Kind theorem3 = Theorem3Kind::printed;

  bool operator==(const Reading&) const = default;
};

}  // namespace maskbench::privacy

namespace maskbench {

template <>
inline constexpr auto kNames<privacy::Scope> = names("message", "tree", "level", "training");
template <>
inline constexpr auto kNames<privacy::Unit> = names("record", "vector");
template <>
inline constexpr auto kNames<privacy::Composition> = names("basic", "advanced", "gdp", "pld");
template <>
inline constexpr auto kNames<privacy::MuKind> = names("paper", "label", "range");
template <>
inline constexpr auto kNames<privacy::Theorem3Kind> = names("printed", "tight");
template <>
inline constexpr auto kNames<privacy::GaussianKind> = names("printed", "tight");
template <>
inline constexpr auto kNames<privacy::Preset> = names("paper", "message", "equal", "sound");

}  // namespace maskbench
