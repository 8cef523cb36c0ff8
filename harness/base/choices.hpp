#pragma once

#include "harness/base/enum_names.hpp"

// The choices that a run's keys offer. The words are those of the YAML.
namespace maskbench {

enum class Source { automatic, file, synthetic };
enum class BaseScore { prior, half, random };  // random: margins uniform in [-1, 1]
enum class Objective { classification, regression };
enum class NoiseKey { seed, os };            // where the protocol's randomness comes from
enum class Generator { philox, aes };        // what draws it
enum class Orient { left, smaller };         // masked: which side of a candidate is the active one
enum class HessianGuard { skip, clip };      // masked: what a noisy denominator <= 0 does
enum class OfferedSplit { honest, random };  // random: PP's best score with another of its splits
enum class LdpLeaves { clean, noisy };
enum class Refresh { tree, node };
enum class RrLeaves { hidden, released };  // from the true labels, or from the released ones
enum class Mode { materialised, fused, collapsed };
enum class BackendChoice { cpu, cuda, automatic };

template <>
inline constexpr auto kNames<Source> = names("auto", "file", "synthetic");
template <>
inline constexpr auto kNames<BaseScore> = names("prior", "0.5", "random");
template <>
inline constexpr auto kNames<Objective> = names("classification", "regression");
template <>
inline constexpr auto kNames<NoiseKey> = names("seed", "os");
template <>
inline constexpr auto kNames<Generator> = names("philox", "aes");
template <>
inline constexpr auto kNames<Orient> = names("left", "smaller");
template <>
inline constexpr auto kNames<HessianGuard> = names("skip", "clip");
template <>
inline constexpr auto kNames<OfferedSplit> = names("honest", "random");
template <>
inline constexpr auto kNames<LdpLeaves> = names("clean", "noisy");
template <>
inline constexpr auto kNames<Refresh> = names("tree", "node");
template <>
inline constexpr auto kNames<RrLeaves> = names("private", "public");
template <>
inline constexpr auto kNames<Mode> = names("materialised", "fused", "collapsed");
template <>
inline constexpr auto kNames<BackendChoice> = names("cpu", "cuda", "auto");

}  // namespace maskbench
