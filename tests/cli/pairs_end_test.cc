// How runs of "mrbench pairs" end before their time, and what is left then: signals, kills, full
// disks, arms that hang or fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "cli/pairs_fixture.h"
#include "support/run_program.h"

namespace mr {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(Pairs, GoOnWhereALogWasCutInTheMiddleOfALine) {
  const os::ProcessResult whole = RunGreps({"--expect", "3", "--blocks", "2"});
  if (!GoodRunIsPossible(whole)) return;
  const std::string text = os::ReadText(log_).value();
  std::size_t cut = 0;
  for (int line = 0; line < 8; ++line) cut = text.find('\n', cut) + 1;  // two trials of block 2
  std::filesystem::resize_file(log_, cut + 33);

  const os::ProcessResult partial = Run({"--from", log_});
  EXPECT_EQ(partial.shell_status(), 0);
  EXPECT_THAT(partial.output.text, HasSubstr("Not complete: 7 of 10 trials are in the log.\n"));
  EXPECT_THAT(partial.output.text, HasSubstr("The log is cut in the middle of its last line"));

  // The killed one may take a moment to die, and holds the log until then.
  os::ProcessResult resumed = Run({"--resume", log_});
  for (int tries = 0; tries < 50 && resumed.error.text.find("another mrbench") != std::string::npos;
       ++tries) {
    usleep(100'000);
    resumed = Run({"--resume", log_});
  }
  EXPECT_EQ(resumed.shell_status(), 0) << resumed.error.text;
  EXPECT_THAT(resumed.error.text, HasSubstr("the last line was cut and is dropped"));
  EXPECT_THAT(resumed.error.text,
              HasSubstr("resuming from trial 6, block 2, which is run again from the start"));
  EXPECT_THAT(resumed.output.text, HasSubstr("10 of 10 trials, 10 of them count"));
  EXPECT_THAT(resumed.output.text,
              HasSubstr("2 trials of interrupted units were run again and do not count"));
  const lab::LogContents log = lab::ReadLog(log_);
  EXPECT_EQ(log.observations.size(), 12u);
  EXPECT_FALSE(log.cut);

  EXPECT_THAT(Run({"--resume", log_}).error.text, HasSubstr("nothing is left to do"));
}

TEST_F(Pairs, StoppedByCtrlCSayHowToGoOn) {
  const os::ProcessResult result = Run(
      {"--arm", "slow=sleep 60; cat {file}", "-e", "x", "--count", "none", "--log", log_, data_},
      {"timeout", "--preserve-status", "-s", "INT", "1"});
  if (!GoodRunIsPossible(result)) return;
  EXPECT_EQ(result.shell_status(), 128 + SIGINT) << result.error.text;
  EXPECT_THAT(result.error.text,
              HasSubstr("interrupted; go on with: mrbench pairs --resume " + log_));
  const lab::LogContents log = lab::ReadLog(log_);
  EXPECT_TRUE(log.observations.empty());
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].name, "interrupted");
}

TEST_F(Pairs, EndAnArmThatHangs) {
  const os::ProcessResult result =
      Run({"--arm", "hang=sleep 60; cat {file}", "-e", "x", "--count", "none", "--timeout", "1",
           "--blocks", "1", "--log", log_, data_});
  if (!GoodRunIsPossible(result)) return;
  EXPECT_EQ(result.shell_status(), 1);
  EXPECT_THAT(result.error.text, HasSubstr("timed out: not finished after 1 s"));
}

TEST_F(Pairs, KilledOutrightAreResumedAndTheirGroupsReclaimed) {
  const os::ProcessResult killed =
      Run({"--arm", "cat=cat {file}", "--arm", "slow=sleep 0.2 && cat {file}", "-e", "x", "--count",
           "none", "--memory", "64M", "--blocks", "3", "--log", log_, data_},
          KilledWhen("[ $(wc -l <" + log_ + " 2>/dev/null || echo 0) -ge 4 ]"));
  if (killed.shell_status() == 2 || !evictable_) {
    std::cout << "missing here: a memory control group that may be made\n";
    EXPECT_THAT(killed.error.text, AnyOf(HasSubstr("memory"), HasSubstr("cannot see")));
    return;
  }
  const os::ProcessResult resumed = Run({"--resume", log_});
  EXPECT_EQ(resumed.shell_status(), 0) << resumed.error.text;
  EXPECT_THAT(resumed.output.text, HasSubstr("15 of 15 trials, 15 of them count"));
  ExpectScheduled(lab::ReadLog(log_));
  EXPECT_THAT(StaleGroups(), IsEmpty());
}

TEST_F(Pairs, KilledOutrightLeaveAnArmThatTheNextRunEnds) {
  const os::ProcessResult killed =
      Run({"--arm", "hang=sleep 60 & echo $! > " + data_ + ".pid; wait; cat {file}", "-e", "x",
           "--count", "none", "--memory", "64M", "--blocks", "1", "--log", log_, data_},
          KilledWhen("[ -s " + data_ + ".pid ]"));
  const std::string orphan = os::ReadLine(data_ + ".pid").value_or("");
  if (orphan.empty()) {
    std::cout << "missing here: a memory control group that may be made\n";
    EXPECT_THAT(killed.error.text, AnyOf(HasSubstr("memory"), HasSubstr("cannot see")));
    return;
  }
  EXPECT_FALSE(IsDead(orphan));
  const os::ProcessResult next =
      Run({"--arm", "cat=cat {file}", "-e", "x", "--count", "none", "--memory", "64M", "--blocks",
           "1", "--log", log_ + "2", data_});
  EXPECT_EQ(next.shell_status(), 0) << next.error.text;
  EXPECT_TRUE(IsDead(orphan));
  EXPECT_THAT(StaleGroups(), IsEmpty());
}

TEST_F(Pairs, KilledBeforeTheirFirstTrialLeaveNothingInTheWay) {
  const std::vector<std::string> arguments = {
      "--arm", "slow=sleep 60; grep {pattern} {file}", "-e", "needle", "--log", log_, data_};
  const os::ProcessResult killed = Run(arguments, KilledWhen("[ -e " + log_ + " ]"));
  if (!evictable_) return;
  EXPECT_EQ(os::ReadText(log_), "") << killed.error.text;
  EXPECT_EQ(RunGreps({"--blocks", "1", "--expect", "3"}).shell_status(), 0);
}

TEST_F(Pairs, StoppedByASignalGoOnWithTheSameSchedule) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    std::filesystem::remove(log_);
    const os::ProcessResult stopped =
        Run({"--arm", "cat=cat {file}", "--arm", "slow=sleep 0.1 && cat {file}", "-e", "x",
             "--count", "none", "--design", "reset", "--blocks", "3", "--log", log_, data_},
            {"timeout", "--preserve-status", "-s", signal, "0.7"});
    if (!GoodRunIsPossible(stopped)) return;
    EXPECT_THAT(stopped.error.text, HasSubstr("go on with: mrbench pairs --resume " + log_));
    EXPECT_LT(lab::ReadLog(log_).observations.size(), 24u) << signal;
    const os::ProcessResult resumed = Run({"--resume", log_});
    EXPECT_EQ(resumed.shell_status(), 0) << resumed.error.text;
    ExpectScheduled(lab::ReadLog(log_));
  }
}

TEST_F(Pairs, WhoseDiskFillsUpLoseNothingAndGoOnWhenThereIsRoom) {
  const std::string script =
      "mount -t tmpfs -o size=8k none \"$1\" || exit 77\n"
      "log=\"$1\"/log.jsonl\n"
      "\"$2\" pairs --arm 'cat=cat {file}' --arm 'head=head -c 1G {file}' -e x --count none "
      "--blocks 2 --log \"$log\" \"$3\" > /dev/null; echo \"full: $?\"\n"
      "\"$2\" pairs --from \"$log\" | grep 'Not complete'\n"
      "tail -c1 \"$log\" | od -An -c\n"
      "mount -o remount,size=1M none \"$1\"\n"
      "\"$2\" pairs --resume \"$log\" | grep 'of them count'; echo \"resumed: $?\"\n"
      "cp \"$log\" \"$4\"\n";
  os::Command command;
  const std::string small = directory_.path() / "small";
  std::filesystem::create_directory(small);
  command.arguments = {"unshare", "-m",  "sh",           "-c",  script,
                       "sh",      small, MRBENCH_BINARY, data_, log_};
  const os::ProcessResult result = test::RunCaptured(std::move(command));
  if (result.shell_status() != 0 || !evictable_) {
    std::cout << "missing here: the right to mount a small file system\n";
    EXPECT_THAT(result.shell_status(), AnyOf(1, 77, 127));
    return;
  }
  EXPECT_THAT(result.output.text, HasSubstr("full: 2\nNot complete"));
  EXPECT_THAT(result.output.text, HasSubstr("\\n\n"));
  EXPECT_THAT(result.output.text, HasSubstr("10 of 10 trials, 10 of them count\nresumed: 0"));
  EXPECT_THAT(result.error.text, HasSubstr("log.jsonl: No space left on device"));
  EXPECT_THAT(result.error.text, HasSubstr("what was recorded is safe; go on with"));
  ExpectScheduled(lab::ReadLog(log_));
}

TEST_F(Pairs, OfAnArmThatFailsGoOnWithTheOthersAndSayWhy) {
  const os::ProcessResult result = Run(
      {"--arm", "cat=cat {file}", "--arm", "bad=echo no luck >&2; cat {file} > /dev/null; exit 3",
       "-e", "x", "--count", "none", "--design", "reset", "--blocks", "1", "--log", log_, data_});
  if (!GoodRunIsPossible(result)) return;
  EXPECT_EQ(result.shell_status(), 1);
  EXPECT_THAT(result.error.text, HasSubstr("failed: exit status 3: no luck"));
  int good = 0;
  for (const lab::Observation& row : lab::ReadLog(log_).observations) {
    if (row.outcome == lab::Outcome::kOk) ++good;
  }
  EXPECT_EQ(good, 3);  // both of the pair cat, cat, and the first of cat, bad
}

}  // namespace
}  // namespace mr
