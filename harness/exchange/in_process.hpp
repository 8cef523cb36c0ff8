#pragma once

#include <array>
#include <deque>
#include <functional>

#include "harness/exchange/fibre.hpp"
#include "harness/exchange/link.hpp"
#include "harness/exchange/tape.hpp"

namespace maskbench {

// Both parties in one process. They hand a baton to each other: only its holder runs, and it goes
// to the other when its holder waits for a message or is done. So the order of messages, the thread
// pool and all results are those of one thread.
class InProcess {
 public:
  explicit InProcess(Tape& tape);

  Link& link(Party party) { return ends_[index(party)]; }

  // Runs both programs to their ends, AP's first. They must not throw.
  void run(const std::function<void()>& ap, const std::function<void()>& pp);
  // Afterwards: a message that nobody took is a broken protocol.
  void check_all_read() const;

 private:
  class End final : public Link {
   public:
    End(InProcess& both, Party me) : both_(both), me_(me) {}
    void post(Message message) override { both_.post(std::move(message)); }
    const Message& front() override;
    Message take() override;
    double delay_seconds() const override { return 0; }  // the other computes all the time
    BufferPool& buffers() override { return both_.buffers_; }

   private:
    InProcess& both_;
    Party me_;
  };

  static constexpr size_t index(Party p) { return static_cast<size_t>(p); }
  void post(Message message);
  void wait_for_message(Party me);
  bool has_left(Party party) const;

  Tape& tape_;
  std::array<End, 2> ends_;
  std::array<std::deque<Message>, 2> inbox_;
  BufferPool buffers_;
  Fibre* passive_ = nullptr;  // while it runs
  bool ap_ended_ = false;
};

}  // namespace maskbench
