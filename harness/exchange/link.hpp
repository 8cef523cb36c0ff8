#pragma once

#include <stdexcept>
#include <tuple>
#include <vector>

#include "harness/exchange/message.hpp"

namespace maskbench {

// The other party is gone: it finished, failed, or cannot be reached.
struct PeerLeft : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Large buffers come back here after use instead of to the system (no page faults anew).
class BufferPool {
 public:
  template <class T>
  std::vector<T> get(size_t size) {
    auto& pool = std::get<std::vector<std::vector<T>>>(pools_);
    std::vector<T> out;
    if (!pool.empty()) {
      out = std::move(pool.back());
      pool.pop_back();
    }
    out.resize(size);
    return out;
  }
  template <class T>
  void give_back(std::vector<T> values) {
    std::get<std::vector<std::vector<T>>>(pools_).push_back(std::move(values));
  }

 private:
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
};

}  // namespace maskbench
