#include "harness/app/progress.hpp"

#include <fmt/format.h>

#include "harness/app/text.hpp"

namespace maskbench {

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
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const std::string step = total > 0 ? fmt::format(" · {} {}/{}", what, done, total) : "";
  fmt::print(out_, "\r\033[K{}{} · {} left", title(), step, duration_text(seconds_left()));
  std::fflush(out_);
}

void Progress::end(double seconds, const std::string& outcome) {
  ended_.insert(current_.run);
  share_ = 0;
  const bool failed = outcome.starts_with("failed");
  if (!failed) log_.learn(current_, seconds);
  // A terminal keeps only what went wrong; the live line goes on below it.
  if (terminal_ && !failed) return;
  clear();
  fmt::print(out_, "{}: {}, {}, {} left\n", title(), outcome, duration_text(seconds),
             duration_text(seconds_left()));
  std::fflush(out_);
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
  return left;
}

std::string Progress::title() const {
  const size_t position = ended_.size() + (ended_.contains(current_.run) ? 0 : 1);
  return fmt::format("[{}/{}] {} #{}", position, todo_.size(), current_.group, current_.repeat + 1);
}

}  // namespace maskbench
