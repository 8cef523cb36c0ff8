#include "harness/sweep/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.hpp"

namespace maskbench {

void Progress::plan(std::vector<PlanEntry> todo, size_t processes) {
  todo_ = std::move(todo);
  processes_ = std::max<size_t>(1, std::min(processes, todo_.size()));
}

void Progress::begin(const PlanEntry& entry) {
  current_ = entry;
  share_ = 0;
  drawn_ = {};
  tree(0, 0);
}

void Progress::tree(int done, int total) {
  share_ = total > 0 ? static_cast<double>(done) / total : 0;
  draw("tree", done, total);
}

void Progress::attack(int done, int total) {
  draw("attack", done, total);
}

void Progress::draw(const char* what, int done, int total) {
  if (!time_to_draw()) return;
  const std::string step = total > 0 ? fmt::format(" · {} {}/{}", what, done, total) : "";
  fmt::print(out_, "\r\033[K{}{} · {} left", title(current_), step, duration_text(seconds_left()));
  std::fflush(out_);
}

void Progress::end(const PlanEntry& entry, double seconds, const std::string& outcome) {
  ended_.insert(entry.run);
  if (entry.run == current_.run) share_ = 0;
  const bool failed = outcome.starts_with("failed");
  if (!failed) log_.learn(entry, seconds);
  // A terminal keeps only what went wrong; the live line goes on below it.
  if (terminal_ && !failed) return;
  clear();
  fmt::print(out_, "{}: {}, {}, {} left\n", title(entry), outcome, duration_text(seconds),
             duration_text(seconds_left()));
  std::fflush(out_);
}

void Progress::idle() {
  if (!time_to_draw()) return;
  fmt::print(out_, "\r\033[K[{}/{}] waiting for the other processes · {} left", ended_.size(),
             todo_.size(), duration_text(seconds_left()));
  std::fflush(out_);
}

bool Progress::time_to_draw() {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return false;
  drawn_ = now;
  return true;
}

void Progress::clear() {
  if (terminal_) fmt::print(out_, "\r\033[K");
  std::fflush(out_);
}

double Progress::seconds_left() const {
  double left = 0;
  for (const auto& entry : todo_) {
    if (ended_.contains(entry.run)) continue;
    left += log_.predict(entry) * (entry.run == current_.run ? 1 - share_ : 1);
  }
  return left / static_cast<double>(processes_);
}

std::string Progress::title(const PlanEntry& entry) const {
  const size_t position = ended_.size() + (ended_.contains(entry.run) ? 0 : 1);
  return one_line(
      fmt::format("[{}/{}] {} #{}", position, todo_.size(), entry.group, entry.repeat + 1));
}

}  // namespace maskbench
