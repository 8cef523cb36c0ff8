#include "harness/sweep/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/table.hpp"
#include "harness/base/text.hpp"

namespace maskbench {
namespace {

constexpr size_t kBar = 16;  // columns

}  // namespace

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
  draw_step("tree", done, total);
}

void Progress::attack(int done, int total) {
  draw_step("attack", done, total);
}

void Progress::draw_step(const char* what, int done, int total) {
  draw(title(current_) + (total > 0 ? fmt::format(" · {} {}/{}", what, done, total) : ""));
}

std::string Progress::bar() const {
  const double done = static_cast<double>(ended_.size()) + share_;
  const double share = todo_.empty() ? 1 : std::min(1.0, done / static_cast<double>(todo_.size()));
  const auto full = static_cast<size_t>(share * kBar);
  std::string left, right;
  for (size_t i = 0; i < kBar; ++i) (i < full ? left : right) += i < full ? "█" : "░";
  return terminal_.paint(left, Colour::green) + terminal_.paint(right, Colour::dim);
}

// The bar and the time stay; what is between them is cut to the terminal's width.
void Progress::draw(const std::string& what) {
  if (!time_to_draw()) return;
  const std::string time = fmt::format(" · {} left", duration_text(seconds_left()));
  const size_t taken =
      kBar + 2 + text_width(time);  // the last column stays free: some terminals wrap
  const size_t room = terminal_.width > taken ? terminal_.width - taken : 0;
  fmt::print(out_, "\r\033[K{} {}{}", bar(), cut_to(what, room), time);
  std::fflush(out_);
}

void Progress::end(const PlanEntry& entry, double seconds, const std::string& outcome) {
  ended_.insert(entry.run);
  if (entry.run == current_.run) share_ = 0;
  const bool failed = outcome.starts_with("failed");
  if (!failed) log_.learn(entry, seconds);
  // A terminal keeps only what went wrong; the live line goes on below it.
  if (terminal_.is_live && !failed) return;
  clear();
  const std::string line = fmt::format("{}: {}, {}, {} left", title(entry), outcome,
                                       duration_text(seconds), duration_text(seconds_left()));
  fmt::print(out_, "{}\n", failed ? terminal_.paint(line, Colour::red) : line);
  std::fflush(out_);
}

void Progress::idle() {
  draw(fmt::format("[{}/{}] waiting for the other processes", ended_.size(), todo_.size()));
}

bool Progress::time_to_draw() {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_.is_live || now - drawn_ < std::chrono::milliseconds(100)) return false;
  drawn_ = now;
  return true;
}

void Progress::clear() {
  if (terminal_.is_live) fmt::print(out_, "\r\033[K");
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
