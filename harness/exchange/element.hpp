#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/exchange/elements.hpp"
#include "kernels/histogram.hpp"

namespace maskbench {

// What a message's payload is a list of, as a frame names it. Part of the protocol: new ones go to
// the end.
enum class Element : uint8_t {
  none,  // has no form on a wire
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f32,
  f64,
  gradient_pair,
  proposal,
  decision,
  candidate_header,
  bins_header,
  bucket_header,
  order_header,
};

template <class T>
inline constexpr Element kElementOf = Element::none;

// Calls `visit` with a value of each type that can travel.
template <class Visit>
constexpr void for_each_element_type(Visit visit) {
  visit(uint8_t{}), visit(int8_t{}), visit(uint16_t{}), visit(int16_t{});
  visit(uint32_t{}), visit(int32_t{}), visit(uint64_t{}), visit(int64_t{});
  visit(float{}), visit(double{}), visit(GradientPair{}), visit(Proposal{}), visit(Decision{});
  visit(CandidateHeader{}), visit(BinsHeader{}), visit(BucketHeader{});
  visit(OrderHeader{});
}

// clang-format off
template <> inline constexpr Element kElementOf<uint8_t> = Element::u8;
template <> inline constexpr Element kElementOf<int8_t> = Element::i8;
template <> inline constexpr Element kElementOf<uint16_t> = Element::u16;
template <> inline constexpr Element kElementOf<int16_t> = Element::i16;
template <> inline constexpr Element kElementOf<uint32_t> = Element::u32;
template <> inline constexpr Element kElementOf<int32_t> = Element::i32;
template <> inline constexpr Element kElementOf<uint64_t> = Element::u64;
template <> inline constexpr Element kElementOf<int64_t> = Element::i64;
template <> inline constexpr Element kElementOf<float> = Element::f32;
template <> inline constexpr Element kElementOf<double> = Element::f64;
template <> inline constexpr Element kElementOf<GradientPair> = Element::gradient_pair;
template <> inline constexpr Element kElementOf<Proposal> = Element::proposal;
template <> inline constexpr Element kElementOf<Decision> = Element::decision;
template <> inline constexpr Element kElementOf<CandidateHeader> = Element::candidate_header;
template <> inline constexpr Element kElementOf<BinsHeader> = Element::bins_header;
template <> inline constexpr Element kElementOf<BucketHeader> = Element::bucket_header;
template <> inline constexpr Element kElementOf<OrderHeader> = Element::order_header;
// clang-format on

// The structs lie on the wire as they lie in memory.
static_assert(sizeof(GradientPair) == 8 && sizeof(Proposal) == 16 && sizeof(Decision) == 16);
static_assert(sizeof(CandidateHeader) == 12 && sizeof(BinsHeader) == 8);
static_assert(sizeof(BucketHeader) == 24 && sizeof(OrderHeader) == 16);

}  // namespace maskbench
