#pragma once

#include <mutex>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include "harness/exchange/message.hpp"

namespace maskbench {

// The other party is gone: it finished, failed, or cannot be reached.
struct PeerLeft : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Large buffers come back here after use instead of to the system (no page faults anew). Any thread
// may ask.
class BufferPool {
 public:
  template <class T>
  std::vector<T> get(size_t size) {
    std::vector<T> out;
    if constexpr (is_pooled<T>) {
      const std::scoped_lock lock(mutex_);
      auto& pool = std::get<std::vector<std::vector<T>>>(pools_);
      if (!pool.empty()) {
        out = std::move(pool.back());
        pool.pop_back();
      }
    }
    out.resize(size);
    return out;
  }
  template <class T>
  void give_back(std::vector<T> values) {
    const std::scoped_lock lock(mutex_);
    std::get<std::vector<std::vector<T>>>(pools_).push_back(std::move(values));
  }

  template <class T>
  static constexpr bool is_pooled = std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

 private:
  std::mutex mutex_;
  std::tuple<std::vector<std::vector<int32_t>>, std::vector<std::vector<int64_t>>> pools_;
};

// One party's end of whatever carries the messages: two queues in one process, a stream between
// two. It knows nothing of prices and ledgers; a Channel does.
class Link {
 public:
  virtual ~Link() = default;
  virtual void post(Message message) = 0;
  // The next message to this party. Blocks until there is one; throws PeerLeft if none will come.
  virtual const Message& front() = 0;
  virtual Message take() = 0;
  // Seconds in which this party could have gone on but the link kept it: handing over, transport.
  virtual double delay_seconds() const = 0;
  virtual BufferPool& buffers() = 0;
  // How many bytes a party may send ahead of the answers that it waits for, so that the line is
  // never idle; 0: it gains nothing by that.
  virtual size_t ahead_bytes() const { return 0; }
};

}  // namespace maskbench
