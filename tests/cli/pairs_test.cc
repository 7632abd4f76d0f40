// Drives "mrbench pairs" as a user would, with greps and cats of small files as arms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/pairs_fixture.h"

namespace mr {
namespace {

using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_F(Pairs, RunEveryOrderedPairAndTheirLogReplaysToTheSameReport) {
  const os::ProcessResult result = RunGreps({"--expect", "3", "--blocks", "2"});
  if (!GoodRunIsPossible(result)) return;
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.error.text,
              HasSubstr("mrbench: mind: 2 blocks: at least 10 are needed for a claim\n"));
  EXPECT_THAT(result.error.text, EndsWith("mrbench: log: " + log_ + "\n"));
  for (const char* group : {"grep followed by grep:\ngg ", "grep followed by fixed:\ngf ",
                            "fixed followed by grep:\nfg ", "fixed followed by fixed:\nff "}) {
    EXPECT_THAT(result.output.text, HasSubstr(group));
  }
  EXPECT_THAT(result.output.text, HasSubstr("10 of 10 trials, 10 of them count"));

  const lab::LogContents log = lab::ReadLog(log_);
  ASSERT_EQ(log.observations.size(), 10u);
  // The kernel counts in hundredths of a second, and only what has changed is recorded.
  EXPECT_TRUE(std::any_of(log.observations.begin(), log.observations.end(),
                          [](const lab::Observation& row) { return row.cpu.contains("busy"); }));
  for (const lab::Observation& row : log.observations) {
    EXPECT_EQ(row.outcome, lab::Outcome::kOk) << row.reason;
    EXPECT_EQ(row.matches, 3u);
    EXPECT_GT(row.real.count(), 0);
    EXPECT_EQ(row.after.resident_pages, row.after.total_pages);
    ASSERT_FALSE(row.trace.moments.empty());
    if (row.trial.previous) {
      EXPECT_EQ(row.before.resident_pages, row.before.total_pages);
      EXPECT_EQ(row.disk_bytes(), 0u);
    } else {
      EXPECT_EQ(row.before.resident_pages, 0u);
      EXPECT_GE(row.disk_bytes(), log.header.plan.file_bytes);
    }
  }
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].name, "finished");

  const os::ProcessResult replay = Run({"--from", log_});
  EXPECT_EQ(replay.shell_status(), 0);
  EXPECT_EQ(replay.output.text, result.output.text);
}

TEST_F(Pairs, WithResetsEvictBeforeEachPair) {
  const os::ProcessResult result =
      RunGreps({"--expect", "3", "--blocks", "1", "--design", "reset"});
  if (!GoodRunIsPossible(result)) return;
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  const lab::LogContents log = lab::ReadLog(log_);
  ASSERT_EQ(log.observations.size(), 8u);
  for (std::size_t i = 0; i < 8; i += 2) {
    EXPECT_EQ(log.observations[i].before.resident_pages, 0u);
    EXPECT_GT(log.observations[i].disk_bytes(), 0u);
  }
}

TEST_F(Pairs, FindOutHowManyLinesMatchWhereNobodyTells) {
  const os::ProcessResult result = RunGreps({"--blocks", "1"});
  if (!GoodRunIsPossible(result)) return;
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.error.text, HasSubstr("by one run of grep that does not count"));
  EXPECT_THAT(result.output.text,
              HasSubstr("needle (3 matching lines, by a run of grep before the first trial)"));
}

TEST_F(Pairs, FailLoudlyWhenAnArmFindsAnotherNumberOfLines) {
  const os::ProcessResult result =
      Run({"--arm", "all=grep {pattern} {file}", "--arm", "one=grep -m1 {pattern} {file}", "-e",
           "needle", "--expect", "3", "--blocks", "1", "--log", log_, data_});
  if (!GoodRunIsPossible(result)) return;
  EXPECT_EQ(result.shell_status(), 1);
  EXPECT_THAT(result.error.text,
              HasSubstr("wrong count: 1 lines selected, 3 expected by --expect"));
  EXPECT_THAT(result.output.text, HasSubstr("trials do not count:"));
  EXPECT_EQ(Run({"--from", log_}).shell_status(), 1);
}

TEST_F(Pairs, ReadTheNumberThatAnArmPrints) {
  const os::ProcessResult result =
      Run({"--arm", "count=grep -c {pattern} {file}", "-e", "needle", "--count", "number",
           "--blocks", "1", "--log", log_, data_});
  if (!GoodRunIsPossible(result)) return;
  EXPECT_EQ(result.shell_status(), 0) << result.error.text;
}

TEST_F(Pairs, NeedEveryProgramBeforeAnythingRuns) {
  const os::ProcessResult result = Run(
      {"--arm", "a=cat {file}", "--arm", "b=no-such-grep {file}", "-e", "x", "--log", log_, data_});
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_EQ(result.error.text, "mrbench: arm b: no-such-grep: command not found\n");
  EXPECT_FALSE(std::filesystem::exists(log_));
}

TEST_F(Pairs, PrintTheScheduleWithoutAnyFile) {
  const os::ProcessResult result = Run({"--dry-run", "--blocks", "2", "--seed", "4"});
  EXPECT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text,
              StartsWith("chain design, 2 arms, 2 blocks, 10 trials, seed 4\n"));
  EXPECT_EQ(result.output.lines, 11u);
  EXPECT_EQ(Run({"--dry-run", "--blocks", "2", "--seed", "4"}).output.text, result.output.text);
}

TEST_F(Pairs, UnderAMemoryLimitStayWithinItAndLeaveNoGroupBehind) {
  const std::uint64_t limit_bytes = 24 << 20;
  data_ = directory_.Write("large.txt", std::string(64 << 20, 'x') + "\n");
  const os::ProcessResult result =
      Run({"--arm", "cat=cat {file}", "--arm", "head=head -c 1G {file}", "-e", "x", "--count",
           "none", "--memory", "24M", "--blocks", "1", "--log", log_, data_});
  if (!GoodRunIsPossible(result)) return;
  if (result.shell_status() == 2) {
    std::cout << "missing here: a memory control group that may be made\n";
    EXPECT_THAT(result.error.text, HasSubstr("memory"));
    EXPECT_FALSE(std::filesystem::exists(log_));
    return;
  }
  EXPECT_EQ(result.shell_status(), 0) << result.error.text;
  const lab::LogContents log = lab::ReadLog(log_);
  ASSERT_EQ(log.observations.size(), 5u);
  for (const lab::Observation& row : log.observations) {
    EXPECT_LE(row.after.charged_bytes.value(), limit_bytes);
    // Data of more than twice the limit fills it.
    EXPECT_LE(row.trace.peak_charged_bytes.value(), limit_bytes + (4 << 20));
    EXPECT_GT(row.trace.peak_charged_bytes.value(), limit_bytes / 2);
    EXPECT_EQ(row.after.resident_map.size(), 64u);
    EXPECT_LE(row.after.resident_pages.value() * os::PageBytes(), limit_bytes);
    EXPECT_GT(row.disk_bytes(), 30u << 20);
  }
  EXPECT_THAT(StaleGroups(), IsEmpty());
}

// The orphan would go on for a minute, and its group with it.
TEST_F(Pairs, WithoutPermissionToLimitMemorySaySo) {
  std::vector<std::string> wrapper;
  if (geteuid() == 0) {
    wrapper = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    ASSERT_EQ(chown(directory_.path().c_str(), 65534, 65534), 0);
    ASSERT_EQ(chown(data_.c_str(), 65534, 65534), 0);
  }
  const os::ProcessResult result = Run({"--arm", "cat=cat {file}", "-e", "x", "--count", "none",
                                        "--memory", "64M", "--blocks", "1", "--log", log_, data_},
                                       wrapper);
  if (geteuid() != 0 && result.shell_status() == 0) {
    std::cout << "this user may make memory control groups: nothing to refuse\n";
    return;
  }
  EXPECT_EQ(result.shell_status(), 2);
  if (evictable_) {
    EXPECT_THAT(result.error.text, HasSubstr("memory"));
  }
  EXPECT_EQ(result.error.lines, 1u) << result.error.text;
  EXPECT_FALSE(std::filesystem::exists(log_));
}

TEST_F(Pairs, WithDataWhoseCacheCannotBeSeenAreRefused) {
  if (geteuid() != 0) {
    std::cout << "missing here: root, to make a file of somebody else\n";
    EXPECT_EQ(Run({"--arm", "cat=cat {file}", "-e", "x", "/proc/self/status"}).shell_status(), 2);
    return;
  }
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(data_.c_str(), 0444), 0);
  const os::ProcessResult result =
      Run({"--arm", "cat=cat {file}", "-e", "x", "--count", "none", "--log", "/tmp/unused", data_},
          {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_THAT(result.error.text, HasSubstr("cannot see how much of it is in the page cache"));
}

TEST_F(Pairs, ShowProgressOnATerminalOnly) {
  const std::string command = std::string(MRBENCH_BINARY) +
                              " pairs --arm 'cat=cat {file}' -e x --count none --blocks 2 " +
                              "--log " + log_ + " " + data_;
  os::Command script;
  script.arguments = {"script", "-qec", command, "/dev/null"};
  script.input = os::Stream::Null();
  script.output = os::Stream::Capture();
  const os::ProcessResult result = os::Run(script);
  if (result.start_failure) {
    std::cout << "missing here: script(1)\n";
    return;
  }
  if (!GoodRunIsPossible(result)) return;
  EXPECT_THAT(result.output.text, HasSubstr("trial 4 of 4, block 2 of 2, 0:0"));
  EXPECT_THAT(result.output.text, HasSubstr("left: cat after cat"));
}

TEST_F(Pairs, RefuseWhatMakesNoSense) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{data_, "-e", "x", "--design", "random"}, "--design 'random': not chain or reset"},
      {{data_, "-e", "x", "--blocks", "0"},
       "--blocks: '0' is not a whole number from 1 to 1000000"},
      {{data_, "-e", "x", "--memory", "half"}, "--memory 'half': not a size"},
      {{data_, "-e", "x", "--memory", "1K"}, "--memory '1K': less than 4M"},
      {{data_, "-e", "x", "--disk-rate", "fast"}, "--disk-rate 'fast': not a size per second"},
      {{data_, "-e", "x", "--count", "bytes"}, "--count 'bytes': not lines, number or none"},
      {{data_, "-e", "x", "--format", "html"}, "--format 'html': not text, markdown, csv or json"},
      {{data_, "-e", "x", "--arm", "a=cat {file}", "--arm", "a=cat {file}"},
       "two arms are called 'a'"},
      {{data_}, "--pattern is needed"},
      {{"-e", "x"}, "which FILE is to be searched?"},
      {{"-e", "x", directory_.path().string()}, "not a regular file"},
      {{"-e", "x", "/no/such/file"}, "/no/such/file: No such file or directory"},
      {{"-e", "x", directory_.Write("empty", "")}, "the file is empty"},
      {{"--from", "/no/such/log"}, "/no/such/log: No such file or directory"},
      {{"--from", data_}, "line 1 is not a line of a log of mrbench"},
      {{"--from", "a", "--blocks", "10"}, "--blocks does not go with --from or --resume"},
      {{"--resume", "a", "--memory", "1G"}, "--memory does not go with --from or --resume"},
      {{"--resume", "a", "--expect", "3"}, "--expect does not go with --from or --resume"},
      {{"--resume", "a", "--timeout", "3"}, "--timeout does not go with --from or --resume"},
      {{"--from", "a", data_}, "FILE does not go with --from or --resume"},
      {{"--from", "a", "--resume", "b"}, "--from and --resume: one or the other"},
      {{"--dry-run", "--memory", "half"}, "--memory 'half': not a size"},
      {{"--dry-run", "--disk-rate", "0"}, "--disk-rate: a size per second of zero makes no sense"},
      {{"--dry-run", "/no/such/file"}, "/no/such/file: No such file or directory"},
      {{"--dry-run", "--blocks", "1000000", "--arm", "a=cat {file}", "--arm", "b=cat {file}",
        "--arm", "c=cat {file}", "--design", "reset"},
       "--blocks 1000000: that makes more than 10000000 trials"},
  };
  for (const auto& [arguments, message] : cases) {
    const os::ProcessResult result = Run(arguments);
    EXPECT_EQ(result.shell_status(), 2) << message;
    EXPECT_THAT(result.error.text, HasSubstr(message));
  }
}

TEST_F(Pairs, DoNotOverwriteALogAndFindThatOutBeforeAnythingRuns) {
  directory_.Write("log.jsonl", "precious\n");
  const std::string ran = directory_.path() / "ran";
  const os::ProcessResult result =
      Run({"--arm", "a=touch " + ran + "; cat {file}", "-e", "needle", "--log", log_, data_});
  EXPECT_FALSE(std::filesystem::exists(ran));
  EXPECT_EQ(result.shell_status(), 2);
  if (evictable_) {
    EXPECT_THAT(result.error.text, HasSubstr(log_ + ": File exists"));
  }
  EXPECT_EQ(os::ReadText(log_).value(), "precious\n");
}

TEST_F(Pairs, SayWhenTheReportCannotBeWritten) {
  if (!GoodRunIsPossible(RunGreps({"--expect", "3", "--blocks", "1"}))) return;
  os::Command command =
      os::ShellCommand(std::string(MRBENCH_BINARY) + " pairs --from " + log_ + " > /dev/full");
  command.error = os::Stream::Capture();
  const os::ProcessResult result = os::Run(command);
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_THAT(result.error.text, HasSubstr("standard output: No space left on device"));
}

}  // namespace
}  // namespace mr
