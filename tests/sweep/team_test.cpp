// Several processes that share a sweep: --workers and mpirun.
#include "harness/sweep/team.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "harness/base/file.hpp"
#include "harness/base/file_lock.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

const char* kYaml = R"(
name: fake
train: {rounds: 2}
repeats: 3
axes:
  method: [nonprivate, masked, xgb-ldp]
  privacy.eps_ap: [0.5, 1, 2, 4]
)";
constexpr size_t kRuns = 27;
const char* kForever = "600000000";

const std::vector<std::string> kMpirun = {"mpirun",          "--quiet", "--allow-run-as-root",
                                          "--oversubscribe", "-n",      "4"};

// --threads: the column threads would differ, as it should.
std::vector<std::string> run_args(const TempDir& dir, const std::string& out) {
  return {"run", dir.write("c.yaml", kYaml), "--threads", "1", "--out", dir / out};
}

std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

const std::vector<std::string> kWorkers = {"--workers", "3"};

std::string lock_of(int member) {
  return "worker-single." + std::to_string(member) + ".lock";
}

// What it was last doing: "host pid 123: RUN ... #1".
std::string note_of(const TempDir& dir, int member) {
  const std::string path = dir / ("out/locks/" + lock_of(member));
  return std::filesystem::exists(path) ? read_file(path) : "";
}

struct Busy {
  pid_t pid = 0;
  std::string run;
};

// Waits until the member is busy with a run. Pid 0 if it never was.
Busy busy(const Process& process, const TempDir& dir, int member) {
  while (process.running()) {
    const std::string note = note_of(dir, member);
    // The note of a former process is not of interest, and its pid may be another's by now.
    const bool alive =
        !note.empty() && FileLock::is_held(Folder::made(dir / "out/locks"), lock_of(member));
    if (alive && note.find('#') != std::string::npos)
      return {std::stoi(note.substr(note.find("pid ") + 4)), note.substr(note.find(": ") + 2, 16)};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

// Kills the member in the middle of a run.
void kill_busy(const Process& process, const TempDir& dir, int member) {
  while (true) {
    const pid_t pid = busy(process, dir, member).pid;
    ASSERT_GT(pid, 0);  // kill(0) would be for the whole group
    kill(pid, SIGSTOP);
    const bool between_runs = finished_runs(dir / "out").contains(busy(process, dir, member).run);
    kill(pid, between_runs ? SIGCONT : SIGKILL);
    if (!between_runs) return;
  }
}

void expect_same_as_single(const TempDir& dir) {
  ASSERT_EQ(maskbench(dir, run_args(dir, "single")).code, 0);
  EXPECT_EQ(sorted_rows(dir / "out/results.csv"), sorted_rows(dir / "single/results.csv"));
  EXPECT_EQ(finished_runs(dir / "out").size(), kRuns);
}

void expect_each_run_once(const std::string& log) {
  auto begun = lines_of(log);
  std::sort(begun.begin(), begun.end());
  EXPECT_EQ(begun.size(), kRuns);
  EXPECT_EQ(std::unique(begun.begin(), begun.end()), begun.end());
}

TEST(Workers, do_each_run_once_and_give_the_file_of_a_single_process) {
  TempDir dir;
  const auto ended = maskbench(dir, with(run_args(dir, "out"), kWorkers),
                               {{"FAKE_LOG", dir / "log"}, {"FAKE_TREE_US", "20000"}});
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_each_run_once(dir / "log");
  expect_same_as_single(dir);
  for (int member : {1, 2}) EXPECT_NE(note_of(dir, member).find('#'), std::string::npos);
  // The leader tells of all runs, not only of its own.
  EXPECT_NE(ended.err.find("[27/27] "), std::string::npos) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 27);
}

TEST(Workers, a_killed_one_is_named_and_only_its_run_is_left) {
  TempDir dir;
  const auto args = with(run_args(dir, "out"), kWorkers);
  Process process(dir, args, {{"FAKE_TREE_US", "20000"}});
  kill_busy(process, dir, 2);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("worker 3 of 3 was ended by signal 9 (Killed)\n"), std::string::npos);
  EXPECT_NE(ended.err.find("1 of 27 runs are left; the same command goes on"), std::string::npos);
  EXPECT_EQ(maskbench(dir, args, {{"FAKE_LOG", dir / "log"}}).code, 0);
  EXPECT_EQ(lines_of(dir / "log").size(), 1u);
  expect_same_as_single(dir);
}

TEST(Workers, end_with_a_killed_leader_and_the_same_command_goes_on_at_once) {
  TempDir dir;
  const auto args = with(run_args(dir, "out"), kWorkers);
  std::mt19937 random(5);
  std::uniform_int_distribution<int> delay_us(0, 20'000);
  for (int i = 0; i < 8; ++i) {
    const auto before = finished_runs(dir / "out");
    const std::string log = dir / ("log" + std::to_string(i));
    Process process(dir, args, {{"FAKE_LOG", log}, {"FAKE_TREE_US", "5000"}});
    wait_for_runs(process, log, 1);
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().code, 128 + SIGKILL);
    for (const auto& id : lines_of(log)) EXPECT_FALSE(before.contains(id)) << "ran twice: " << id;
  }
  const auto last = maskbench(dir, args);
  EXPECT_EQ(last.code, 0) << last.err;
  expect_same_as_single(dir);
}

TEST(Workers, all_stop_after_their_tree_when_the_leader_is_interrupted) {
  TempDir dir;
  const auto args = with(run_args(dir, "out"), kWorkers);
  Process process(dir, args, {{"FAKE_TREE_US", "200000"}});
  wait_for_text(process, "[1/27]");
  process.signal(SIGTERM);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_LT(finished_runs(dir / "out").size(), kRuns);
  EXPECT_EQ(maskbench(dir, args).code, 0);
  expect_same_as_single(dir);
}

TEST(Workers, a_full_disk_is_told_and_loses_nothing) {
  TempDir dir;
  const auto args = with(run_args(dir, "out"), kWorkers);
  const auto full = maskbench(dir, args, {{"FAKE_FILE_LIMIT", "9000"}});
  EXPECT_EQ(full.code, 1);
  EXPECT_NE(full.err.find("runs.csv: File too large"), std::string::npos) << full.err;
  const auto kept = finished_runs(dir / "out");
  EXPECT_GT(kept.size(), 1u);
  const auto next = maskbench(dir, args, {{"FAKE_LOG", dir / "log"}});
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_EQ(lines_of(dir / "log").size(), kRuns - kept.size());
  expect_same_as_single(dir);
}

TEST(Workers, status_shows_what_each_is_doing) {
  TempDir dir;
  Process process(dir, with(run_args(dir, "out"), kWorkers), {{"FAKE_TREE_US", kForever}});
  busy(process, dir, 1);
  busy(process, dir, 2);
  const auto status = maskbench(dir, {"status", dir / "out"});
  process.signal(SIGKILL);
  process.wait();
  EXPECT_TRUE(status.out.starts_with("27 runs: 0 done, 0 failed, 27 left, about ")) << status.out;
  EXPECT_NE(status.out.find("with 3 processes\n"), std::string::npos) << status.out;
  size_t running = 0;
  for (size_t at = 0; (at = status.out.find("running: ", at)) != std::string::npos; ++at) ++running;
  EXPECT_EQ(running, 3u) << status.out;
}

TEST(Workers, share_the_visible_gpus) {
  TempDir dir;
  const Environment gpus = {{"FAKE_GPU_LOG", dir / "log"},
                            {"FAKE_TREE_US", "20000"},
                            {"CUDA_VISIBLE_DEVICES", "4,GPU-6"}};
  EXPECT_EQ(maskbench(dir, with(run_args(dir, "out"), kWorkers), gpus).code, 0);
  auto seen = lines_of(dir / "log");
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, (std::vector<std::string>{"4", "GPU-6"}));
  EXPECT_EQ(maskbench(dir, run_args(dir, "single"), gpus).code, 0);
  EXPECT_EQ(lines_of(dir / "log").back(), "4,GPU-6");
}

const bool kHaveMpirun = std::system("command -v mpirun >/dev/null") == 0;

TEST(Ranks, tell_an_error_in_one_line) {
  if (!kHaveMpirun) GTEST_SKIP() << "no mpirun here: apt-get install openmpi-bin";
  TempDir dir;
  const auto ended = maskbench(dir, {"run", "no.yaml"}, {}, kMpirun);
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  const char* reason = built_with_mpi()
                           ? "cannot read no.yaml: no such file\n"
                           : "several ranks were started, but this maskbench was built "
                             "without MPI; use --workers N";
  EXPECT_TRUE(ended.err.starts_with(std::string("maskbench: ") + reason)) << ended.err;
}

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kHaveMpirun || !built_with_mpi())
      GTEST_SKIP() << "no MPI here: apt-get install openmpi-bin libopenmpi-dev, build anew";
  }
  TempDir dir_;
};

TEST_F(Mpi, ranks_do_each_run_once_and_give_the_file_of_a_single_process) {
  const auto ended = maskbench(dir_, run_args(dir_, "out"),
                               {{"FAKE_LOG", dir_ / "log"}, {"FAKE_TREE_US", "40000"}}, kMpirun);
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_each_run_once(dir_ / "log");
  expect_same_as_single(dir_);
  for (int member : {1, 2, 3}) EXPECT_NE(note_of(dir_, member).find('#'), std::string::npos);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 27) << ended.err;
}

TEST_F(Mpi, a_killed_rank_takes_the_job_down_and_only_runs_under_way_are_repeated) {
  Process process(dir_, run_args(dir_, "out"),
                  {{"FAKE_LOG", dir_ / "first"}, {"FAKE_TREE_US", "250000"}}, kMpirun);
  wait_for_runs(process, dir_ / "first", 5);
  kill_busy(process, dir_, 2);  // mpirun takes a second or two to end the others
  EXPECT_NE(process.wait().code, 0);
  const auto kept = finished_runs(dir_ / "out");
  EXPECT_GT(kept.size(), 0u);
  EXPECT_LT(kept.size(), kRuns);
  const auto last = maskbench(dir_, run_args(dir_, "out"), {{"FAKE_LOG", dir_ / "log"}}, kMpirun);
  EXPECT_EQ(last.code, 0) << last.err;
  const auto repeated = lines_of(dir_ / "log");
  EXPECT_EQ(repeated.size(), kRuns - kept.size());
  for (const auto& id : repeated) EXPECT_FALSE(kept.contains(id)) << "ran twice: " << id;
  expect_same_as_single(dir_);
}

TEST_F(Mpi, a_rank_that_cannot_work_is_named_and_the_others_go_on) {
  dir_.write("c.yaml", kYaml);
  std::filesystem::create_directory(dir_ / "elsewhere");
  // Rank 2 looks for the config in another directory.
  const std::string start =
      "cd " + (dir_ / "") + R"(; [ "$OMPI_COMM_WORLD_RANK" != 2 ] || cd elsewhere; exec "$0" "$@")";
  const auto ended = maskbench(dir_, {"run", "c.yaml", "--threads", "1", "--out", dir_ / "out"},
                               {{"FAKE_TREE_US", "1000"}}, with(kMpirun, {"sh", "-c", start}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("maskbench: rank 2 of 4: cannot read c.yaml: no such file\n"),
            std::string::npos)
      << ended.err;
  expect_same_as_single(dir_);
}

TEST_F(Mpi, a_second_job_on_the_directory_is_refused_in_one_line) {
  Process process(dir_, run_args(dir_, "out"), {{"FAKE_TREE_US", kForever}}, kMpirun);
  busy(process, dir_, 2);
  const auto second = maskbench(dir_, run_args(dir_, "out"), {}, kMpirun);
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("another maskbench is at work there"), std::string::npos);
  EXPECT_EQ(std::count(second.err.begin(), second.err.end(), '\n'), 1) << second.err;
  process.signal(SIGTERM);
  EXPECT_NE(process.wait().code, 0);
}

TEST(Team, a_rank_knows_its_place_before_mpi_starts) {
  EXPECT_FALSE(place_of_rank());
  for (const auto& [name, value] :
       {std::pair{"OMPI_COMM_WORLD_SIZE", "8"}, std::pair{"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
        std::pair{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}})
    setenv(name, value, 1);
  const auto place = place_of_rank();
  setenv("CUDA_VISIBLE_DEVICES", "3,5,7", 1);
  take_gpu_of_rank();
  take_own_gpu({1, 8, 1, 8});  // comes later, and changes nothing
  const std::string gpu = std::getenv("CUDA_VISIBLE_DEVICES");
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                           "OMPI_COMM_WORLD_LOCAL_SIZE", "CUDA_VISIBLE_DEVICES"})
    unsetenv(name);
  EXPECT_EQ(gpu, "7");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->local, 2u);
  EXPECT_EQ(place->locals, 4u);
}

TEST(Team, a_gpu_for_each_local_member_in_turn) {
  const auto gpu_of = [](size_t local, size_t locals) {
    setenv("CUDA_VISIBLE_DEVICES", "3,5,7", 1);
    take_own_gpu({local, locals, local, locals});
    const std::string gpu = std::getenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_VISIBLE_DEVICES");
    return gpu;
  };
  EXPECT_EQ(gpu_of(0, 4), "3");
  EXPECT_EQ(gpu_of(2, 4), "7");
  EXPECT_EQ(gpu_of(3, 4), "3");
  EXPECT_EQ(gpu_of(0, 1), "3,5,7");
}

}  // namespace
}  // namespace maskbench::testing
