#include "tests/support/fake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/config/expand.hpp"
#include "harness/sweep/results_csv.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench::testing {

RunResult fake_execute(const RunSpec& spec, const ExecuteContext& context) {
  const std::string id = run_id(spec);
  if (const char* log = std::getenv("FAKE_LOG")) append_file(log, id + "\n");
  if (const char* log = std::getenv("FAKE_GPU_LOG")) {
    const char* gpus = std::getenv("CUDA_VISIBLE_DEVICES");
    append_file(log, fmt::format("{}\n", gpus ? gpus : "all"));
  }
  if (spec.method == "smm" && !std::getenv("FAKE_SMM_WORKS"))
    throw Error("no \"basis\", sorry\nat all");
  const char* tree_us = std::getenv("FAKE_TREE_US");
  RunResult result;
  result.provenance = {"synthetic", "abc", "cpu", "seed"};
  const double base = static_cast<double>(std::stoull(id.substr(0, 8), nullptr, 16)) / 4294967296.0;
  for (int round = 0; round < spec.train.rounds; ++round) {
    if (tree_us) std::this_thread::sleep_for(std::chrono::microseconds(std::atoi(tree_us)));
    result.metrics.push_back({"test_auc", base / (round + 1), "", round, "ok", ""});
    context.on_tree(round + 1, spec.train.rounds);
    if (context.stop && *context.stop) throw Interrupted();
  }
  result.metrics.push_back({"test_auc", base / spec.train.rounds, "", -1, "ok", ""});
  result.metrics.push_back({"attack_auc", 0, "", -1, "skip", "no messages, nothing to attack"});
  return result;
}

Process::Process(const TempDir& dir, const std::vector<std::string>& args,
                 const Environment& environment, const std::vector<std::string>& launcher) {
  static int number = 0;
  ++number;
  out_ = dir / fmt::format("out{}", number);
  err_ = dir / fmt::format("err{}", number);
  std::vector<std::string> words = launcher;
  words.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  words.push_back("--as-maskbench");
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  dup2(open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
  dup2(open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

void Process::signal(int number) const {
  kill(pid_, number);
}

bool Process::running() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

Ended Process::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  // A process killed before it opened them has no output.
  const auto text = [](const std::string& path) {
    return std::filesystem::exists(path) ? read_file(path) : "";
  };
  return {code, text(out_), text(err_)};
}

std::string Process::err_so_far() const {
  return std::filesystem::exists(err_) ? read_file(err_) : "";
}

Ended maskbench(const TempDir& dir, const std::vector<std::string>& args,
                const Environment& environment, const std::vector<std::string>& launcher) {
  return Process(dir, args, environment, launcher).wait();
}

std::set<std::string> finished_runs(const std::string& dir) {
  std::set<std::string> out;
  if (!std::filesystem::exists(dir + "/runs")) return out;
  for (const auto& entry : std::filesystem::directory_iterator(dir + "/runs")) {
    if (entry.path().extension() == ".csv") out.insert(entry.path().stem());
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream in(std::filesystem::exists(path) ? read_file(path) : "");
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

void wait_for_runs(Process& process, const std::string& log, size_t number) {
  while (process.running() && lines_of(log).size() < number) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void wait_for_text(Process& process, const std::string& text) {
  while (process.running() && process.err_so_far().find(text) == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<std::string> sorted_rows(const std::string& path) {
  std::vector<std::string> out;
  for (const auto& file :
       {path, std::filesystem::path(path).replace_filename("runs.csv").string()}) {
    const std::string text = read_file(file);
    CsvReader reader(text);
    CsvRow row;
    reader.next(row);
    while (reader.next(row)) {
      if (file == path && number_columns().cell(row, "metric") == "run_seconds") continue;
      append_csv(out.emplace_back(), row);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

double metric_of(const std::string& dir, const std::string& name, const std::string& party) {
  const std::string text = read_file(dir + "/results.csv");
  CsvReader reader(text);
  CsvRow row;
  while (reader.next(row)) {
    const auto cell = [&](const char* column) { return number_columns().cell(row, column); };
    const bool fits = party.empty() || (cell("party") == party && cell("view") == "stated");
    if (cell("metric") == name && cell("round").empty() && fits) return std::stod(cell("value"));
  }
  ADD_FAILURE() << dir << " has no " << name;
  return std::nan("");
}

size_t widest(const std::string& text) {
  size_t most = 0, width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + 1;
    most = std::max(most, width);
  }
  return most;
}

std::string what_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

}  // namespace maskbench::testing
