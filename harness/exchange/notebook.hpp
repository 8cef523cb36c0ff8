#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/exchange/message.hpp"

namespace maskbench {

// What a party writes down for itself: what it decrypted, which of its splits it thought best. It
// crosses nothing and costs nothing. After the run the judge may read it, and an attack by that
// party, and no other. Only what somebody asked for is kept.
class Notebook {
 public:
  // What a note is about.
  enum class Topic { gradients, sums, choices, root_sums, noise };
  struct Entry {
    Topic topic;
    Tag tag;
    std::unique_ptr<Payload> payload;

    template <class T>
    const std::vector<T>& as() const {
      return dynamic_cast<const HostValues<T>&>(*payload).values;
    }
  };
  using Filter = std::function<bool(Topic, const Tag&)>;

  void keep(Filter filter) { filter_ = std::move(filter); }
  bool keeps(Topic topic, const Tag& tag) const { return filter_ && filter_(topic, tag); }

  template <class T>
  void write(Topic topic, Tag tag, std::span<const T> values) {
    if (!keeps(topic, tag)) return;
    entries_.push_back(
        {topic, tag,
         std::make_unique<HostValues<T>>(std::vector<T>(values.begin(), values.end()))});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Filter filter_;
  std::vector<Entry> entries_;
};

}  // namespace maskbench
