#include "attacks/transcript.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace maskbench {

namespace {

enum Reading { kLength, kBits, kBit, kByte, kInt32, kInt64, kDouble, kRemainder, kChange };
constexpr const char* kReadings[] = {
    "length",         "set bits", "lowest bit", "byte",
    "int32",          "int64",    "double",     "remainder by 2^k, k =",
    "change of int32"};
constexpr size_t kHead = 8;          // elements of a message that are read
constexpr int kMostMessages = 8;     // of one kind in one level
constexpr size_t kPlacesTried = 30;  // by the costly search for a threshold
constexpr double kAbsent = -1e300;   // a message that did not come is evidence, too

template <class T>
std::vector<T> head_of(std::span<const std::byte> bytes) {
  std::vector<T> out(std::min(kHead, bytes.size() / sizeof(T)));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

class Reader {
 public:
  void read(const Message& message) {
    TranscriptPlace place{message.from, message.kind, message.tag.tree, message.tag.depth, 0, 0, 0};
    place.number = seen_[place]++;
    if (place.number >= kMostMessages) return;
    put(place, kLength, 0, static_cast<double>(message.payload->size()));
    if (message.payload->has_bytes()) read_bytes(place, message.payload->bytes());
  }
  Transcript take() { return std::move(out_); }

 private:
  void read_bytes(const TranscriptPlace& place, std::span<const std::byte> bytes) {
    int bits = 0;
    for (const std::byte b : bytes) bits += std::popcount(static_cast<uint8_t>(b));
    put(place, kBits, 0, bits);
    put_all(place, kByte, head_of<uint8_t>(bytes));
    if (!bytes.empty()) put(place, kBit, 0, static_cast<uint8_t>(bytes[0]) & 1);
    const auto words = head_of<int32_t>(bytes);
    put_all(place, kInt32, words);
    put_all(place, kInt64, head_of<int64_t>(bytes));
    put_all(place, kDouble, head_of<double>(bytes));
    for (const int k : {4, 8, 12, 16, 20, 24})
      if (!words.empty()) put(place, kRemainder, k, words[0] & ((1 << k) - 1));
    put_change(place, words);
  }

  void put_change(TranscriptPlace place, const std::vector<int32_t>& words) {
    TranscriptPlace any_tree = place;
    any_tree.tree = 0;
    std::vector<int32_t>& before = last_[any_tree];
    for (size_t k = 0; k < std::min(words.size(), before.size()); ++k)
      put(place, kChange, static_cast<int>(k), double(words[k]) - double(before[k]));
    before = words;
  }

  template <class T>
  void put_all(const TranscriptPlace& place, Reading reading, const std::vector<T>& values) {
    for (size_t k = 0; k < values.size(); ++k)
      put(place, reading, static_cast<int>(k), static_cast<double>(values[k]));
  }
  void put(TranscriptPlace place, Reading reading, int element, double value) {
    place.reading = reading;
    place.element = element;
    if (std::isfinite(value)) out_.emplace_back(place, value);
  }

  Transcript out_;
  std::map<TranscriptPlace, int> seen_;
  std::map<TranscriptPlace, std::vector<int32_t>> last_;
};

struct PlaceValues {
  std::array<std::vector<double>, 2> values;  // by input
};

// The largest distance between the two distributions in the first half (Kolmogorov and Smirnov).
double distance(const PlaceValues& column) {
  std::array<std::vector<double>, 2> half;
  for (int w = 0; w < 2; ++w) {
    const auto& all = column.values[static_cast<size_t>(w)];
    half[static_cast<size_t>(w)].assign(all.begin(),
                                        all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    std::sort(half[static_cast<size_t>(w)].begin(), half[static_cast<size_t>(w)].end());
  }
  double most = 0;
  for (const auto& sample : half) {
    for (const double x : sample) {
      const auto below = [&](const std::vector<double>& s) {
        return double(std::upper_bound(s.begin(), s.end(), x) - s.begin()) / double(s.size());
      };
      most = std::max(most, std::abs(below(half[0]) - below(half[1])));
    }
  }
  return most;
}

}  // namespace

std::string text_of(const TranscriptPlace& place) {
  return fmt::format("{} {} (tree {}, depth {}, message {}): {} {}", name_of(place.from),
                     name_of(place.kind), place.tree, place.depth, place.number,
                     kReadings[place.reading], place.element);
}

Transcript transcript_of(std::span<const Message> messages) {
  Reader reader;
  for (const Message& message : messages) reader.read(message);
  return reader.take();
}

TranscriptBound tell_apart(const std::vector<Transcript>& zero, const std::vector<Transcript>& one,
                           double delta) {
  const size_t trials = std::min(zero.size(), one.size());
  std::map<TranscriptPlace, PlaceValues> table;
  for (size_t w = 0; w < 2; ++w) {
    for (size_t t = 0; t < trials; ++t) {
      for (const auto& [place, value] : (w == 0 ? zero : one)[t]) {
        PlaceValues& column = table[place];
        for (auto& values : column.values) values.resize(trials, kAbsent);
        column.values[w][t] = value;
      }
    }
  }
  std::vector<std::pair<double, const std::pair<const TranscriptPlace, PlaceValues>*>> ranked;
  for (const auto& entry : table) ranked.emplace_back(distance(entry.second), &entry);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ranked.resize(std::min(ranked.size(), kPlacesTried));
  std::vector<Trials> statistics;  // either way: nobody says which input has the larger values
  for (const auto& [d, entry] : ranked) {
    const auto& [a, b] = entry->second.values;
    statistics.push_back({a, b});
    statistics.push_back({b, a});
  }
  if (statistics.empty()) return {{}, "nothing crossed"};
  TranscriptBound out{eps_lower_bound(statistics, delta), ""};
  out.place = text_of(ranked[out.bound.statistic / 2].second->first);
  return out;
}

}  // namespace maskbench
