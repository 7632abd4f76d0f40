// Drives "mrbench compare" as a user would, over directories that this machine has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "lab/compare/log.h"
#include "lab/log/log_file.h"
#include "os/page_cache.h"
#include "os/process.h"
#include "os/text_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace mr {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Compare : public ::testing::Test {
 protected:
  Compare() {
    fs::create_directories(directory_.path() / "one");
    fs::create_directories(directory_.path() / "two");
    std::string text;
    for (int line = 0; line < 3000; ++line) text += "hay " + std::to_string(line) + "\n";
    data_ = directory_.Write("one/data", text + "a needle\n");
    log_ = directory_.path() / "log.jsonl";
    evictable_ = os::Evict(data_).verified_empty();
    if (!evictable_) {
      std::cout << "missing here: a file system whose files can be evicted and seen by cachestat\n";
    }
  }

  std::string Path(const std::string& name) const { return directory_.path() / name; }

  static os::ProcessResult Run(std::vector<std::string> arguments,
                               std::vector<std::string> wrapper = {}) {
    os::Command command;
    command.arguments = std::move(wrapper);
    command.arguments.insert(command.arguments.end(), {MRBENCH_BINARY, "compare"});
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    return test::RunCaptured(std::move(command));
  }

  // Two greps over two directories of one disk, with more options.
  os::ProcessResult RunGreps(const std::vector<std::string>& more,
                             const std::vector<std::string>& wrapper = {}) const {
    std::vector<std::string> arguments = {"--arm", "grep=grep {pattern} {file}",
                                          "--arm", "fixed=grep -F -e {pattern} '{file}'",
                                          "-e",    "needle",
                                          "--at",  "here=" + Path("one"),
                                          "--at",  "there=" + Path("two"),
                                          "--log", log_,
                                          data_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments, wrapper);
  }

  lab::CompareLog Log() const { return lab::ParseCompareLog(lab::ReadLogFile(log_)); }

  static void ExpectVerifiedStates(const lab::CompareLog& log) {
    for (const lab::CompareObservation& row : log.observations) {
      EXPECT_EQ(row.row.outcome, lab::Outcome::kOk) << row.row.reason;
      const bool cold = row.trial.start == lab::CacheStart::kCold;
      EXPECT_EQ(row.row.before.resident_pages, cold ? 0 : row.row.before.total_pages);
    }
  }

  test::TempDir directory_;
  std::string data_;
  std::string log_;
  bool evictable_ = false;
};

TEST_F(Compare, RunsEverySearchAtEveryPlaceColdAndWarmAndReplays) {
  if (!evictable_) return;
  const os::ProcessResult result = RunGreps({"--expect", "1", "--blocks", "2"});
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.error.text, HasSubstr("there: copied to " + Path("two/data")));
  EXPECT_THAT(result.output.text, HasSubstr("16 of 16 trials, 16 of them count"));
  EXPECT_THAT(result.output.text, HasSubstr("No conclusion from 2 complete blocks"));
  EXPECT_EQ(os::ReadText(Path("two/data")), os::ReadText(data_));

  const lab::CompareLog log = Log();
  ASSERT_EQ(log.observations.size(), 16u);
  ExpectVerifiedStates(log);
  for (const lab::CompareObservation& row : log.observations) {
    EXPECT_EQ(row.row.matches, 1u);
    EXPECT_EQ(row.row.disk_bytes() >= log.header.plan.data_bytes,
              row.trial.start == lab::CacheStart::kCold);
    EXPECT_FALSE(row.nfs);
  }
  const std::vector<lab::CompareTrial> schedule = lab::MakeCompareSchedule(log.header.plan);
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    EXPECT_EQ(log.observations[i].trial, schedule[i]);
  }
  const os::ProcessResult replay = Run({"--from", log_});
  EXPECT_EQ(replay.shell_status(), 0) << replay.error.text;
  EXPECT_EQ(replay.output.text, result.output.text);
  for (const char* format : {"markdown", "csv", "json"}) {
    EXPECT_THAT(Run({"--from", log_, "--format", format}).output.text, HasSubstr("there"));
  }
}

TEST_F(Compare, SearchesTreesThroughTheirDirectory) {
  if (!evictable_) return;
  fs::create_directories(Path("one/tree/below"));
  directory_.Write("one/tree/a", "a needle\n");
  directory_.Write("one/tree/below/b", "another needle\nhay\n");
  const os::ProcessResult result = Run({"--at", Path("one"), "--at", Path("two"), "-e", "needle",
                                        "--blocks", "1", "--log", log_, Path("one/tree")});
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("28 bytes in 2 files"));
  const lab::CompareLog log = Log();
  EXPECT_EQ(log.header.truth.matches, 2u);
  ASSERT_EQ(log.observations.size(), 8u);
  ExpectVerifiedStates(log);
}

TEST_F(Compare, HasNoColdStartInMemory) {
  struct statfs info;
  constexpr long kTmpfsMagic = 0x01021994;
  if (!evictable_ || ::statfs("/dev/shm", &info) != 0 || info.f_type != kTmpfsMagic) {
    std::cout << "missing: a tmpfs on /dev/shm\n";
    return;
  }
  const std::string shm = "/dev/shm/mrbench-compare-" + std::to_string(::getpid());
  fs::create_directories(shm);
  const os::ProcessResult result =
      Run({"--at", Path("one"), "--at", shm, "-e", "needle", "--arm", "grep=grep {pattern} {file}",
           "--blocks", "1", "--log", log_, data_});
  fs::remove_all(shm);
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("lives in memory: it has no cold start"));
  const lab::CompareLog log = Log();
  ASSERT_EQ(log.observations.size(), 3u);
  ExpectVerifiedStates(log);
}

TEST_F(Compare, ReachesThroughAnOverlayToTheFilesBehindIt) {
  if (!evictable_) return;
  for (const char* name : {"lower", "upper", "work", "merged"}) fs::create_directories(Path(name));
  fs::copy(data_, Path("lower/data"));
  const std::string mount = "mount -t overlay -o lowerdir=" + Path("lower") +
                            ",upperdir=" + Path("upper") + ",workdir=" + Path("work") +
                            " overlay " + Path("merged");
  const std::vector<std::string> wrapper = {
      "unshare", "--mount", "sh", "-c", mount + " && exec \"$@\"", "sh"};
  const os::ProcessResult possible =
      os::Run(os::ShellCommand("unshare --mount sh -c '" + mount + "' 2>&1"));
  if (!possible.succeeded()) {
    std::cout << "missing: the right to mount an overlay\n";
    return;
  }
  const os::ProcessResult result =
      RunGreps({"--at", "over=" + Path("merged"), "--backing", "over=" + Path("lower"), "--expect",
                "1", "--blocks", "1"},
               wrapper);
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  const lab::CompareLog log = Log();
  EXPECT_EQ(log.header.plan.places[2].type, "overlay");
  ASSERT_EQ(log.observations.size(), 12u);
  ExpectVerifiedStates(log);
  for (const lab::CompareObservation& row : log.observations) {
    EXPECT_EQ(row.backing_before_pages.has_value(), row.trial.place == 2);
    if (row.trial.place != 2) continue;
    EXPECT_EQ(row.backing_before_pages == 0U, row.trial.start == lab::CacheStart::kCold);
    EXPECT_GT(row.backing_after_pages, 0U);
  }
}

TEST_F(Compare, GoesOnWhereItWasKilled) {
  if (!evictable_) return;
  // The fifth trial kills the one that measures it.
  const std::string counter = Path("counter");
  const os::ProcessResult killed =
      Run({"--arm",
           "grep=echo x >> " + counter + "; test $(wc -l < " + counter +
               ") = 5 && kill -9 $PPID; grep {pattern} {file}",
           "-e", "needle", "--at", Path("one"), "--at", Path("two"), "--expect", "1", "--blocks",
           "2", "--log", log_, data_});
  EXPECT_EQ(killed.signal, SIGKILL);
  ASSERT_EQ(Log().observations.size(), 4u);

  const os::ProcessResult resumed = Run({"--resume", log_});
  ASSERT_EQ(resumed.shell_status(), 0) << resumed.error.text;
  const lab::CompareLog log = Log();
  ASSERT_EQ(log.observations.size(), 8u);
  const std::vector<lab::CompareTrial> schedule = lab::MakeCompareSchedule(log.header.plan);
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    EXPECT_EQ(log.observations[i].trial, schedule[i]);
  }
  EXPECT_EQ(log.events.front().name, "resumed");
  EXPECT_THAT(Run({"--resume", log_}).error.text, HasSubstr("nothing is left to do"));

  directory_.Write("one/data", "other data, with a needle\n");
  fs::resize_file(log_, fs::file_size(log_) / 2);
  const os::ProcessResult changed = Run({"--resume", log_});
  EXPECT_EQ(changed.shell_status(), 2);
  EXPECT_THAT(changed.error.text, HasSubstr("has changed since the comparison was begun"));
}

TEST_F(Compare, RefusesACopyThatDiffersAndABackingThatIsNone) {
  directory_.Write("two/data", "something else\n");
  os::ProcessResult result = RunGreps({"--blocks", "1"});
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_THAT(result.error.text, HasSubstr("is there already, and differs from"));
  EXPECT_EQ(os::ReadText(Path("two/data")), "something else\n");
  EXPECT_FALSE(fs::exists(log_));

  if (!evictable_) return;
  fs::remove(Path("two/data"));
  fs::create_directories(Path("three"));
  fs::copy(data_, Path("three/data"));
  result = RunGreps({"--blocks", "1", "--backing", "there=" + Path("three")});
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_THAT(result.error.text, HasSubstr("not served from here"));
}

TEST_F(Compare, SaysWhichOptionMakesNoSense) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const os::ProcessResult result = Run(arguments);
    EXPECT_EQ(result.shell_status(), 2);
    EXPECT_THAT(result.output.text, IsEmpty());
    return result.error.text;
  };
  EXPECT_THAT(complaint({"--at", Path("one"), data_}), HasSubstr("at least two places"));
  EXPECT_THAT(complaint({"--at", Path("one"), "--at", Path("one"), "-e", "x", data_}),
              HasSubstr("two places are"));
  EXPECT_THAT(complaint({"--at", "a=" + Path("one"), "--at", "a=" + Path("two"), "-e", "x", data_}),
              HasSubstr("two places are called 'a'"));
  EXPECT_THAT(complaint({"--at", Path("one"), "--at", Path("two"), data_}),
              HasSubstr("--pattern is needed"));
  EXPECT_THAT(
      complaint({"--at", Path("one"), "--at", Path("two"), "-e", "x", "--start", "hot", data_}),
      HasSubstr("not cold, warm or both"));
  EXPECT_THAT(
      complaint({"--at", Path("one"), "--at", Path("two"), "--backing", "x=/", "-e", "x", data_}),
      HasSubstr("no place is called 'x'"));
  EXPECT_THAT(complaint({"--at", Path("one"), "--at", data_, "-e", "x", data_}),
              HasSubstr("not a directory"));
  EXPECT_THAT(complaint({"--from", log_, "--at", Path("one")}), HasSubstr("--at does not go with"));
  EXPECT_THAT(complaint({"--resume", log_, "--blocks", "3"}),
              HasSubstr("--blocks does not go with"));
}

}  // namespace
}  // namespace mr
