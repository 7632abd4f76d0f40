#include "lab/trial/trial.h"

#include <gtest/gtest.h>

#include <csignal>
#include <deque>

#include "lab/plan/arm.h"
#include "lab/trial/experiment.h"
#include "os/error.h"
#include "sample_observations.h"

namespace mr::lab {
namespace {

// A world that does what the test says and remembers what was asked of it.
class FakeStage : public Stage {
 public:
  os::Eviction Evict() override {
    asked += "evict ";
    os::Eviction eviction;
    eviction.total_pages = total_pages;
    eviction.pages_left = pages_left;
    eviction.why_unknown = "the kernel won't tell";
    resident_pages = pages_coming_back;
    return eviction;
  }
  CacheState LookAtCache() override {
    return {.total_pages = total_pages,
            .resident_pages = resident_pages,
            .resident_map = {},
            .charged_bytes = charged_bytes};
  }
  CounterState ReadCounters() override {
    ++readings;
    return {.vmstat = {{"pgmajfault", 10 * readings}}, .pressure = {}, .group = {}, .cpu = {}};
  }
  os::ProcessResult RunLimited(os::Command command) override {
    asked += "run:" + command.arguments[0] + " ";
    resident_pages = pages_after_run;
    return Next();
  }
  RunTrace TakeTrace() override { return trace; }
  os::ProcessResult RunFree(const os::Command& command) override {
    asked += "free:" + command.arguments[0] + " ";
    return Next();
  }

  std::string asked;
  std::optional<std::uint64_t> pages_left = 0;
  std::optional<std::uint64_t> pages_coming_back = 0;  // after an eviction
  std::optional<std::uint64_t> pages_after_run = 5;
  std::optional<std::uint64_t> charged_bytes;
  RunTrace trace;
  std::optional<std::uint64_t> resident_pages = 0;
  std::uint64_t total_pages = 256;
  std::deque<os::ProcessResult> results;

 private:
  os::ProcessResult Next() {
    if (results.empty()) return Found(3);
    os::ProcessResult result = results.front();
    results.pop_front();
    return result;
  }

 public:
  static os::ProcessResult Found(std::uint64_t lines) {
    os::ProcessResult result;
    result.exit_code = lines == 0 ? 1 : 0;
    result.output.lines = lines;
    result.wall = std::chrono::milliseconds(1500);
    return result;
  }

 private:
  int readings = 0;
};

class Trials : public ::testing::Test {
 protected:
  Observation RunOne(std::optional<int> previous = {}) {
    return runner_.Run({.index = 0, .block = 0, .unit = 0, .arm = 1, .previous = previous});
  }

  Plan plan_ = TwoArms(1);
  std::vector<std::vector<std::string>> commands_ = {{"m"}, {"r"}};
  FakeStage stage_;
  TrialRunner runner_{plan_, commands_, stage_};
  void SetUp() override { runner_.Expect({.matches = 3, .source = "the test"}); }
};

TEST_F(Trials, EvictOnlyBeforeTheFirstOfAUnit) {
  RunOne();
  RunOne(1);
  EXPECT_EQ(stage_.asked, "evict run:r run:r ");
}

TEST_F(Trials, RecordWhatTheRunCostAndWhatTheKernelCounted) {
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kOk);
  EXPECT_EQ(row.real, std::chrono::milliseconds(1500));
  EXPECT_EQ(row.matches, 3u);
  EXPECT_EQ(row.vmstat.at("pgmajfault"), 10);
  EXPECT_EQ(row.after.resident_pages, 5u);
  EXPECT_TRUE(row.reason.empty());
}

TEST_F(Trials, WhoseCacheIsNotEmptyAreNotRunAndNeitherIsTheRestOfTheUnit) {
  stage_.pages_left = 12;
  const Observation first = RunOne();
  EXPECT_EQ(first.outcome, Outcome::kNotPrepared);
  EXPECT_EQ(first.reason, "12 of 256 pages stayed in the page cache");
  const Observation second = RunOne(1);
  EXPECT_EQ(second.outcome, Outcome::kNotPrepared);
  EXPECT_EQ(stage_.asked, "evict ");
}

TEST_F(Trials, WhoseDataSomebodyElseReadsBeforeTheyStartAreNotRun) {
  stage_.pages_coming_back = 7;
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kNotPrepared);
  EXPECT_EQ(row.reason, "7 of 256 pages came back into the page cache before the run");
  EXPECT_EQ(row.before.resident_pages, 7u);
  stage_.pages_coming_back.reset();
  EXPECT_EQ(RunOne().reason, "cannot see what is in the page cache");
  EXPECT_EQ(stage_.asked, "evict evict ");
}

TEST_F(Trials, ThatFindTheCacheOtherwiseThanItWasLeftAreDisturbed) {
  stage_.total_pages = 1 << 20;
  plan_.file_bytes = stage_.total_pages * os::PageBytes();
  stage_.pages_after_run = 500'000;
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  stage_.resident_pages = 505'000;  // read-ahead that was under way
  EXPECT_EQ(RunOne(1).outcome, Outcome::kOk);
  for (const std::uint64_t pages : {400'000, 600'000}) {
    EXPECT_EQ(RunOne().outcome, Outcome::kOk);
    stage_.resident_pages = pages;
    const Observation row = RunOne(1);
    EXPECT_EQ(row.outcome, Outcome::kDisturbed);
    EXPECT_EQ(row.reason, "the run before left 500000 pages in the cache, now there are " +
                              std::to_string(pages));
    EXPECT_EQ(RunOne(1).outcome, Outcome::kAfterFailure);
  }
}

TEST_F(Trials, WhoseCacheCannotBeSeenAfterTheRunBeforeAreNotPrepared) {
  stage_.pages_after_run.reset();
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  stage_.resident_pages = 5;
  const Observation unknown_before = RunOne(1);
  EXPECT_EQ(unknown_before.outcome, Outcome::kNotPrepared);
  EXPECT_EQ(unknown_before.reason, "cannot see what the run before left in the page cache");
  EXPECT_EQ(RunOne(1).outcome, Outcome::kNotPrepared);

  stage_.pages_after_run = 5;
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  stage_.resident_pages.reset();
  const Observation unknown_now = RunOne(1);
  EXPECT_EQ(unknown_now.outcome, Outcome::kNotPrepared);
  EXPECT_EQ(unknown_now.reason, "cannot see what is in the page cache");
  EXPECT_EQ(stage_.asked, "evict run:r evict run:r ");
}

TEST_F(Trials, MayFollowAPreparationByTheCaller) {
  stage_.resident_pages = 256;
  EXPECT_EQ(RunOne(1).outcome, Outcome::kNotPrepared);
  runner_.ComesAfter(256);
  EXPECT_EQ(RunOne(1).outcome, Outcome::kOk);
  EXPECT_EQ(stage_.asked, "run:r ");
}

TEST_F(Trials, WhoseMemoryLimitCannotBeSeenToHoldDoNotCount) {
  plan_.memory_bytes = 8 << 20;
  const Observation uncharged = RunOne();
  EXPECT_EQ(uncharged.outcome, Outcome::kNotLimited);
  EXPECT_EQ(uncharged.reason, "cannot see what is charged to the memory group");
  stage_.charged_bytes = 8 << 20;
  stage_.pages_after_run.reset();
  const Observation unseen = RunOne();
  EXPECT_EQ(unseen.outcome, Outcome::kNotLimited);
  EXPECT_EQ(unseen.reason, "cannot see what is in the page cache");
}

TEST_F(Trials, BeyondTheMemoryLimitDoNotCount) {
  plan_.memory_bytes = 8 << 20;
  stage_.charged_bytes = 8 << 20;
  stage_.trace.peak_charged_bytes = 12 << 20;
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  stage_.trace.peak_charged_bytes = (12 << 20) + 4096;
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kNotLimited);
  EXPECT_EQ(row.reason, "12587008 bytes were charged, the limit is 8388608");
}

TEST_F(Trials, WhoseDataIsCachedOutsideOfTheirMemoryGroupDoNotCount) {
  plan_.memory_bytes = 64 << 20;
  stage_.total_pages = 256 << 10;
  plan_.file_bytes = stage_.total_pages * os::PageBytes();
  stage_.pages_after_run = 10'000;
  stage_.charged_bytes = 10'000 * os::PageBytes();
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  stage_.charged_bytes = 5'000 * os::PageBytes();
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kNotLimited);
  EXPECT_EQ(row.reason,
            "40960000 bytes of the data are in the cache, but only 20480000 are charged to the "
            "memory group");
}

TEST_F(Trials, WhoseCacheCannotBeSeenAreNotPrepared) {
  stage_.pages_left.reset();
  EXPECT_EQ(RunOne().reason, "cannot see what is in the page cache: the kernel won't tell");
}

TEST_F(Trials, OfDataThatChangedItsSizeAreNotPrepared) {
  plan_.file_bytes = 5;
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kNotPrepared);
  EXPECT_EQ(row.reason, "the data has changed its size since the experiment was planned");
}

TEST_F(Trials, ThatFindAnotherNumberOfLinesAreWrong) {
  stage_.results = {FakeStage::Found(2)};
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kWrongCount);
  EXPECT_EQ(row.reason, "2 lines selected, 3 expected by the test");
}

TEST_F(Trials, ThatFindNothingWhereThereIsSomethingAreWrongNotFailed) {
  stage_.results = {FakeStage::Found(0)};
  EXPECT_EQ(RunOne().outcome, Outcome::kWrongCount);
}

TEST_F(Trials, ThatRightlyFindNothingAreFine) {
  runner_.Expect({.matches = 0, .source = "the test"});
  stage_.results = {FakeStage::Found(0)};
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
}

TEST_F(Trials, ThatExitWithAnErrorFailWithItsFirstLine) {
  os::ProcessResult result = FakeStage::Found(3);
  result.exit_code = 2;
  result.error.text = "r: /data: Input/output error\nr: more\n";
  stage_.results = {result};
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kFailed);
  EXPECT_EQ(row.reason, "exit status 2: r: /data: Input/output error");
  EXPECT_EQ(row.exit_status, 2);
}

TEST_F(Trials, ThatLeaveProcessesBehindFail) {
  stage_.results = {FakeStage::Found(3)};
  stage_.results.front().left_processes = true;
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kFailed);
  EXPECT_EQ(row.reason, "left processes behind, which were killed");
}

TEST_F(Trials, AfterAFailureInTheSameUnitAreNotRunButTheNextUnitIs) {
  os::ProcessResult killed;
  killed.signal = SIGKILL;
  stage_.results = {killed};
  EXPECT_EQ(RunOne().reason, "killed by signal 9");
  const Observation second = RunOne(1);
  EXPECT_EQ(second.outcome, Outcome::kAfterFailure);
  EXPECT_EQ(RunOne(1).outcome, Outcome::kAfterFailure);
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  EXPECT_EQ(stage_.asked, "evict run:r evict run:r ");
}

TEST_F(Trials, ThatHangAreEnded) {
  os::ProcessResult result;
  result.timed_out = true;
  result.signal = SIGTERM;
  stage_.results = {result};
  plan_.timeout = std::chrono::seconds(7);
  const Observation row = RunOne();
  EXPECT_EQ(row.outcome, Outcome::kTimedOut);
  EXPECT_EQ(row.reason, "not finished after 7 s");
}

TEST_F(Trials, StoppedByASignalAreNoObservation) {
  os::ProcessResult result;
  result.forwarded_signal = SIGINT;
  stage_.results = {result};
  EXPECT_THROW(RunOne(), Interrupted);
}

TEST_F(Trials, ReadTheNumberThatAnArmPrints) {
  plan_.counting = Counting::kNumber;
  for (const auto& [text, good] : {std::pair("3\n", true),
                                   {"/data:3\n", true},
                                   {"", false},
                                   {"three\n", false},
                                   {"4\n", false},
                                   {"3x\n", false}}) {
    os::ProcessResult result;
    result.output.text = text;
    stage_.results = {result};
    EXPECT_EQ(RunOne().outcome == Outcome::kOk, good) << text;
  }
}

TEST_F(Trials, WithoutACountNeedOnlyToSucceed) {
  plan_.counting = Counting::kNone;
  runner_.Expect({});
  stage_.results = {FakeStage::Found(5)};
  EXPECT_EQ(RunOne().outcome, Outcome::kOk);
  stage_.results = {FakeStage::Found(0)};
  EXPECT_EQ(RunOne().outcome, Outcome::kFailed);
}

TEST_F(Trials, CountOnceRunsOutsideOfTheLimits) {
  stage_.results = {FakeStage::Found(8)};
  EXPECT_EQ(runner_.CountOnce(0), 8u);
  EXPECT_EQ(stage_.asked, "free:m ");
  os::ProcessResult result;
  result.exit_code = 2;
  stage_.results = {result};
  EXPECT_THROW(runner_.CountOnce(0), ArmError);
}

}  // namespace
}  // namespace mr::lab
