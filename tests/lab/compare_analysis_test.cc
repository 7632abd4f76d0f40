#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lab/compare/analysis.h"
#include "lab/compare/report.h"
#include "lab/sample_comparison.h"
#include "os/error.h"

namespace mr::lab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Blocks differ by much, places within a block by fixed ratios, but for a little noise.
double Seconds(const CompareTrial& trial) {
  const double block = 1.0 + trial.block % 4;
  const double place = trial.place == 1 && trial.start == CacheStart::kCold ? 2.0 : 1.0;
  const double arm = trial.arm == 1 ? 0.8 : 1.0;
  const double noise = 1.0 + 0.001 * ((trial.index * 7) % 11 - 5);
  return block * place * arm * noise;
}

const CompareCell& CellOf(const CompareReport& report, int arm, int place, CacheStart start) {
  for (const CompareCell& cell : report.cells) {
    if (cell.arm == arm && cell.place == place && cell.start == start) return cell;
  }
  throw std::out_of_range("no such cell");
}

TEST(CompareAnalysis, FindsTheRatiosOfPlacesAndOfArmsWithinBlocks) {
  const ComparePlan plan = DiskNfsAndMemory(12);
  const CompareReport report = AnalyzeComparison(plan, Observe(plan, Seconds));
  EXPECT_EQ(report.planned, 120);
  EXPECT_EQ(report.observed, 120);
  ASSERT_EQ(report.cells.size(), 10u);

  const PairedRatio cold = *CellOf(report, 0, 1, CacheStart::kCold).against_first_place;
  EXPECT_EQ(cold.blocks, 12);
  EXPECT_NEAR(cold.ratio, 2.0, 0.02);
  EXPECT_TRUE(cold.effect);
  const PairedRatio warm = *CellOf(report, 0, 1, CacheStart::kWarm).against_first_place;
  EXPECT_NEAR(warm.ratio, 1.0, 0.01);
  EXPECT_FALSE(warm.effect);
  const PairedRatio arm = *CellOf(report, 1, 0, CacheStart::kCold).against_first_arm;
  EXPECT_NEAR(arm.ratio, 0.8, 0.01);
  EXPECT_TRUE(arm.effect);
  EXPECT_FALSE(CellOf(report, 0, 0, CacheStart::kCold).against_first_place);
  EXPECT_FALSE(CellOf(report, 0, 0, CacheStart::kCold).against_first_arm);
}

TEST(CompareAnalysis, SumsUpWhatTheNfsClientDid) {
  const ComparePlan plan = DiskNfsAndMemory(3);
  const CompareReport report = AnalyzeComparison(plan, Observe(plan, Seconds));
  const NfsSummary cold = *CellOf(report, 0, 1, CacheStart::kCold).nfs;
  EXPECT_EQ(cold.read_calls, 8);
  EXPECT_EQ(cold.server_read_bytes, 1 << 20);
  EXPECT_EQ(cold.read_rtt_ms, 5.0);
  EXPECT_EQ(cold.read_execute_ms, 7.5);
  EXPECT_EQ(cold.other_calls, 1);
  EXPECT_EQ(cold.resent, 1);
  const NfsSummary warm = *CellOf(report, 0, 1, CacheStart::kWarm).nfs;
  EXPECT_EQ(warm.read_calls, 0);
  EXPECT_FALSE(warm.read_rtt_ms);
  EXPECT_FALSE(CellOf(report, 0, 0, CacheStart::kCold).nfs);
}

TEST(CompareAnalysis, LeavesOutWhatDoesNotCountAndSaysSo) {
  const ComparePlan plan = DiskNfsAndMemory(3);
  std::vector<CompareObservation> rows = Observe(plan, Seconds);
  rows[2].row.outcome = Outcome::kNotPrepared;
  rows[2].row.reason = "/nfs/data: 3 of 256 pages stayed in the page cache";
  rows.pop_back();
  const CompareReport report = AnalyzeComparison(plan, rows);
  EXPECT_EQ(report.observed, 29);
  ASSERT_EQ(report.excluded.size(), 1u);
  EXPECT_EQ(report.excluded[0].trial, rows[2].trial);
  const CompareTrial& gone = rows[2].trial;
  const CompareCell& cell = CellOf(report, gone.arm, gone.place, gone.start);
  EXPECT_EQ(cell.observations.size(), 2u);
  EXPECT_EQ(cell.excluded, 1);

  const CompareLog log{.header = {.plan = plan,
                                  .truth = {},
                                  .started = "2025-01-31T12:00:00.000Z",
                                  .environment = Json::object(),
                                  .warnings = {}},
                       .observations = rows,
                       .events = {},
                       .cut = false};
  const std::string text = FormatComparison(ReportFormat::kText, log, report);
  EXPECT_THAT(text, HasSubstr("Not complete: 29 of 30 trials"));
  EXPECT_THAT(text, HasSubstr("not prepared: /nfs/data: 3 of 256 pages stayed"));
  EXPECT_THAT(text, HasSubstr("No conclusion from 3 complete blocks"));
  EXPECT_THAT(text, HasSubstr("what its server caches cannot be seen from here"));
  EXPECT_THAT(text, HasSubstr("it has no cold start"));
}

TEST(CompareReport, ClaimsOnlyWhatTheIntervalsAllow) {
  const ComparePlan plan = DiskNfsAndMemory(12);
  const CompareReport report = AnalyzeComparison(plan, Observe(plan, Seconds));
  const std::vector<std::string> sentences = ConcludeComparison(plan, report);
  EXPECT_THAT(sentences, Contains(HasSubstr("cold start, mmap: nfs against disk takes 2.0 times")));
  EXPECT_THAT(sentences,
              Contains(HasSubstr("warm start, mmap: nfs against disk no effect on time found")));
  EXPECT_THAT(sentences, Contains(HasSubstr("at memory: read against mmap takes 20 % less time")));
  for (const std::string& sentence : sentences) {
    EXPECT_THAT(sentence, Not(HasSubstr("cold start, mmap: memory")));
  }
}

TEST(CompareReport, HasAFigureForEveryColumnInEveryRow) {
  const ComparePlan plan = DiskNfsAndMemory(1);
  const CompareReport report = AnalyzeComparison(plan, Observe(plan, Seconds));
  for (const Table& table :
       {PlaceTable(plan, report), NfsTable(plan, report), ComparisonFigures(plan, report)}) {
    ASSERT_FALSE(table.rows.empty());
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  }
  // An unfinished comparison has cells without a single observation.
  const CompareReport nothing = AnalyzeComparison(plan, {});
  for (const auto& row : PlaceTable(plan, nothing).rows) {
    EXPECT_EQ(row.size(), PlaceTable(plan, nothing).header.size());
  }
  EXPECT_TRUE(NfsTable(plan, nothing).rows.empty());
  for (const auto& row : ComparisonFigures(plan, nothing).rows) {
    EXPECT_EQ(row.size(), ComparisonFigures(plan, nothing).header.size());
  }
}

TEST(CompareLog, KeepsEveryRow) {
  ComparePlan plan = DiskNfsAndMemory(2);
  std::vector<CompareObservation> rows = Observe(plan, Seconds);
  rows[0].backing_before_pages = 0;
  rows[0].backing_after_pages = 256;
  LogFile file{.path = "log",
               .header = ToJson(CompareHeader{.plan = plan,
                                              .truth = {.matches = 3, .source = "--expect"},
                                              .started = "2025-01-31T12:00:00.000Z",
                                              .environment = Json::object(),
                                              .warnings = {"noise"}}),
               .lines = {},
               .cut = false,
               .whole_bytes = 1};
  for (const CompareObservation& row : rows) file.lines.push_back(ToJson(row, plan));
  file.lines.push_back(ToJson(LogEvent{.name = "finished", .time = "then", .text = ""}));
  const CompareLog log = ParseCompareLog(file);
  EXPECT_EQ(log.header.plan, plan);
  EXPECT_EQ(log.header.truth.matches, 3u);
  ASSERT_EQ(log.observations.size(), rows.size());
  ASSERT_EQ(log.events.size(), 1u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(log.observations[i].trial, rows[i].trial);
    EXPECT_EQ(log.observations[i].nfs, rows[i].nfs);
    EXPECT_EQ(log.observations[i].row.real, rows[i].row.real);
    EXPECT_EQ(log.observations[i].backing_after_pages, rows[i].backing_after_pages);
  }
  EXPECT_TRUE(RemainingTrials(MakeCompareSchedule(plan), log.observations).empty());
  rows.erase(rows.begin() + 3);
  const auto remaining = RemainingTrials(MakeCompareSchedule(plan), rows);
  ASSERT_EQ(remaining.size(), 1u);
  EXPECT_EQ(remaining[0].index, 3);

  file.lines[5]["place"] = 3;
  EXPECT_THROW(ParseCompareLog(file), os::IoError);
  file.header["mrbench"] = "pairs";
  EXPECT_THROW(ParseCompareLog(file), os::IoError);
}

}  // namespace
}  // namespace mr::lab
