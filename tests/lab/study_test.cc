#include "lab/studies/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>

#include "lab/log/log_header.h"
#include "lab/trial/trial.h"
#include "os/error.h"
#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;

// Cells "even" and "odd" with made-up figures; "odd" fails when told to.
class FakeStudy : public Study {
 public:
  std::vector<std::string> Cells() const override { return {"even", "odd"}; }
  void Prepare(ProgressLine&) override { ++prepared; }
  Figures Measure(std::size_t cell) override {
    ++measured;
    if (measured == signal_at) std::raise(SIGTERM);
    if (cell == 1 && odd_fails) throw os::IoError("file", "vanished");
    return {{"wall_ns", static_cast<double>(10 * cell + 1)}};
  }
  int prepared = 0;
  int measured = 0;
  bool odd_fails = false;
  int signal_at = 0;  // the trial, from 1, during which the user wants an end
};

class StudyTest : public ::testing::Test {
 protected:
  StudyTest() : path_((directory_.path() / "log.jsonl").string()) {
    header_ = {.study = "fake",
               .started = UtcNow(),
               .rounds = 3,
               .seed = 1,
               .cells = study_.Cells(),
               .plan = {{"anything", 1}},
               .environment = DescribePlace(directory_.path().string())};
  }
  void RunAll() {
    LogWriter writer = LogWriter::Create(path_);
    writer.Append(ToJson(header_));
    RunStudy(study_, header_, {}, writer);
  }
  test::TempDir directory_;
  std::string path_;
  FakeStudy study_;
  StudyHeader header_;
};

TEST(StudySchedule, HasEveryCellOnceInEveryRound) {
  const std::vector<StudyTrial> trials = StudySchedule(5, 4, 7);
  ASSERT_EQ(trials.size(), 20u);
  for (int round = 0; round < 4; ++round) {
    std::set<int> cells;
    for (int i = 0; i < 5; ++i) {
      const StudyTrial& trial = trials[static_cast<std::size_t>(5 * round + i)];
      EXPECT_EQ(trial.index, 5 * round + i);
      EXPECT_EQ(trial.round, round);
      cells.insert(trial.cell);
    }
    EXPECT_EQ(cells, (std::set<int>{0, 1, 2, 3, 4}));
  }
}

TEST(StudySchedule, DependsOnTheSeedAlone) {
  const auto order = [](std::uint64_t seed) {
    std::vector<int> cells;
    for (const StudyTrial& trial : StudySchedule(6, 3, seed)) cells.push_back(trial.cell);
    return cells;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST_F(StudyTest, LogsEveryTrialAndReadsItBack) {
  RunAll();
  EXPECT_EQ(study_.prepared, 1);
  const StudyLog log = ReadStudyLog(path_, "fake");
  EXPECT_EQ(log.rows.size(), 6u);
  EXPECT_EQ(log.header.cells, study_.Cells());
  EXPECT_EQ(log.header.plan, header_.plan);
  const CellView odd(log, "odd");
  EXPECT_EQ(odd.Values("wall_ns"), (std::vector<double>{11, 11, 11}));
  EXPECT_EQ(odd.Mean("wall_ns"), 11);
  EXPECT_THROW(odd.Values("no_such_figure"), RecordError);
  EXPECT_EQ(CountFailures(log), 0u);
  EXPECT_THAT(DescribeStudy(log), HasSubstr("3 rounds of 2 cells"));
}

TEST_F(StudyTest, GoesOnWhereALogWasCutOff) {
  RunAll();
  std::string text = os::ReadText(path_).value();
  // The header, two trials, and half of the third.
  std::size_t end = 0;
  for (int line = 0; line < 3; ++line) end = text.find('\n', end) + 1;
  directory_.Write("log.jsonl", text.substr(0, end + 20));

  auto [writer, file] = LogWriter::Continue(path_);
  const StudyLog so_far = ParseStudyLog(file, "fake");
  EXPECT_TRUE(so_far.cut);
  ASSERT_EQ(so_far.rows.size(), 2u);
  FakeStudy again;
  RunStudy(again, so_far.header, so_far.rows, writer);
  EXPECT_EQ(again.measured, 4);
  const StudyLog whole = ReadStudyLog(path_, "fake");
  std::set<int> trials;
  for (const StudyRow& row : whole.rows) trials.insert(row.trial);
  EXPECT_EQ(trials.size(), 6u);
  EXPECT_EQ(whole.rows.size(), 6u);
}

TEST_F(StudyTest, EndsAfterTheTrialThatASignalComesInAndSaysSoInItsLog) {
  study_.signal_at = 2;
  try {
    RunAll();
    ADD_FAILURE() << "not interrupted";
  } catch (const Interrupted& interruption) {
    EXPECT_EQ(interruption.signal(), SIGTERM);
  }
  EXPECT_EQ(ReadStudyLog(path_, "fake").rows.size(), 2u);
  const LogEvent event = EventFromJson(ReadLogFile(path_).lines.back());
  EXPECT_EQ(event.name, "interrupted");
  EXPECT_EQ(event.text, "signal 15");
}

TEST_F(StudyTest, DoesNothingWhenNothingIsLeft) {
  RunAll();
  auto [writer, file] = LogWriter::Continue(path_);
  const StudyLog log = ParseStudyLog(file, "fake");
  FakeStudy again;
  RunStudy(again, log.header, log.rows, writer);
  EXPECT_EQ(again.prepared, 0);
}

TEST_F(StudyTest, RecordsFailuresAndCountsThemNowhere) {
  study_.odd_fails = true;
  RunAll();
  const StudyLog log = ReadStudyLog(path_, "fake");
  EXPECT_EQ(CountFailures(log), 3u);
  EXPECT_TRUE(CellView(log, "odd").empty());
  EXPECT_EQ(CellView(log, "even").size(), 3u);
  EXPECT_THAT(DescribeFailures(log), HasSubstr("odd (3 times): file: vanished"));
}

TEST_F(StudyTest, RefusesLogsThatAreNotItsOwn) {
  RunAll();
  EXPECT_THROW(ReadStudyLog(path_, "other"), os::IoError);
  const std::string header = ToJson(header_).dump() + "\n";
  for (const char* row : {R"({"trial":0,"round":0,"cell":"third","started":"","figures":{"a":1}})",
                          R"({"trial":6,"round":0,"cell":"odd","started":"","figures":{"a":1}})",
                          R"({"trial":0,"round":0,"cell":"odd","started":""})",
                          R"({"trial":0,"cell":"odd"})", "not JSON"}) {
    directory_.Write("log.jsonl", header + row + "\n");
    try {
      ReadStudyLog(path_, "fake");
      ADD_FAILURE() << row;
    } catch (const os::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr("line 2")) << row;
    }
  }
}

TEST(Estimate, HoldsMedianIntervalAndLeast) {
  const std::vector<double> values = {3, 1, 2, 5, 4};
  const Estimate estimate = EstimateOf(values);
  EXPECT_EQ(estimate.median, 3);
  EXPECT_EQ(estimate.min, 1);
  EXPECT_LE(estimate.interval.low, 3);
  EXPECT_GE(estimate.interval.high, 3);
}

}  // namespace
}  // namespace mr::lab
