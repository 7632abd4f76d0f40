#include "lab/analysis/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/analysis/conclusion.h"
#include "sample_observations.h"

namespace mr::lab {
namespace {

const Cell& PairOf(const Report& report, int first, int second) {
  for (const Cell& cell : report.pairs) {
    if (cell.first == first && cell.second == second) return cell;
  }
  throw std::logic_error("no such pair");
}

TEST(Analyze, PutsEachObservationIntoTheCellOfItsPair) {
  const Plan plan = TwoArms(3);
  const Report report = Analyze(plan, Observe(plan, [](const Trial& trial) {
                                  return 10.0 * trial.previous.value_or(7) + trial.arm + 1;
                                }));
  ASSERT_EQ(report.pairs.size(), 4u);
  ASSERT_EQ(report.lead_ins.size(), 2u);
  EXPECT_EQ(report.planned, 15);
  EXPECT_EQ(report.observed, 15);
  EXPECT_TRUE(report.excluded.empty());
  for (int first = 0; first < 2; ++first) {
    for (int second = 0; second < 2; ++second) {
      const Cell& cell = PairOf(report, first, second);
      EXPECT_EQ(cell.observations.size(), 3u);
      EXPECT_DOUBLE_EQ(cell.real->median, 10.0 * first + second + 1);
    }
  }
  EXPECT_EQ(report.lead_ins[0].observations.size() + report.lead_ins[1].observations.size(), 3u);
}

// By hand: "read after mmap" takes 3, 2, 4 s where "read after read" takes 4, 4, 5: the ratios are
// 0.75, 0.5, 0.8, and on logarithms the median of the six averages is that of 0.75 and 0.5 with
// 0.8: the sorted averages are .5, sqrt(.375), sqrt(.4), .75, sqrt(.6), .8.
TEST(Analyze, PairsTheCarryOverWithinBlocks) {
  const Plan plan = TwoArms(3);
  const double after_mmap[] = {3, 2, 4};
  const double after_read[] = {4, 4, 5};
  const Report report = Analyze(plan, Observe(plan, [&](const Trial& trial) {
                                  if (IsPair(trial, 0, 1)) return after_mmap[trial.block];
                                  if (IsPair(trial, 1, 1)) return after_read[trial.block];
                                  return 9.0;
                                }));
  const Cell& cell = PairOf(report, 0, 1);
  EXPECT_DOUBLE_EQ(cell.real->median, 3);
  EXPECT_DOUBLE_EQ(cell.real->min, 2);
  EXPECT_DOUBLE_EQ(cell.real->max, 4);
  ASSERT_TRUE(cell.real_carry_over.has_value());
  const CarryOver& carry_over = *cell.real_carry_over;
  EXPECT_EQ(carry_over.blocks, 3);
  EXPECT_NEAR(carry_over.ratio, std::sqrt(std::sqrt(0.4) * 0.75), 1e-9);
  EXPECT_NEAR(carry_over.range.low, 0.5, 1e-12);
  EXPECT_NEAR(carry_over.range.high, 0.8, 1e-12);
  EXPECT_FALSE(carry_over.interval.has_value());
  EXPECT_DOUBLE_EQ(carry_over.p, 2.0 / 8);
  EXPECT_FALSE(carry_over.effect);
  EXPECT_FALSE(PairOf(report, 1, 1).real_carry_over.has_value());
}

TEST(Analyze, LeavesFailedTrialsOutOfFiguresButShowsThem) {
  const Plan plan = TwoArms(4);
  std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1.0; });
  const auto bad = std::find_if(rows.begin(), rows.end(), [](const Observation& row) {
    return row.trial.block == 2 && IsPair(row.trial, 0, 1);
  });
  bad->outcome = Outcome::kWrongCount;
  bad->reason = "2 lines selected, 3 expected";
  bad->real = std::chrono::hours(1);
  const Report report = Analyze(plan, rows);
  const Cell& cell = PairOf(report, 0, 1);
  EXPECT_EQ(cell.observations.size(), 3u);
  EXPECT_EQ(cell.excluded, 1);
  EXPECT_DOUBLE_EQ(cell.real->max, 1);
  EXPECT_EQ(cell.real_carry_over->blocks, 3);
  ASSERT_EQ(report.excluded.size(), 1u);
  EXPECT_EQ(report.excluded[0].reason, bad->reason);
  EXPECT_EQ(report.observed, report.planned);
}

TEST(Analyze, CountsOnlyTheLastAttemptAtAUnit) {
  const Plan plan = TwoArms(2);
  std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1.0; });
  std::vector<Observation> log(rows.begin(), rows.begin() + 3);  // block 1 begins, is interrupted
  for (Observation& row : log) row.real = std::chrono::seconds(50);
  for (Observation& row : rows) {
    if (row.trial.block == 0) row.attempt = 2;
  }
  log.insert(log.end(), rows.begin(), rows.end());
  const Report report = Analyze(plan, log);
  EXPECT_EQ(report.superseded, 3);
  EXPECT_EQ(report.observed, 10);
  for (const Cell& cell : report.pairs) EXPECT_DOUBLE_EQ(cell.real->max, 1);
}

TEST(Analyze, FlagsOutliersAndKeepsThem) {
  const Plan plan = TwoArms(8);
  const Report report = Analyze(plan, Observe(plan, [](const Trial& trial) {
                                  return IsPair(trial, 1, 0) && trial.block == 5 ? 4.0 : 1.0;
                                }));
  const Cell& cell = PairOf(report, 1, 0);
  ASSERT_EQ(cell.observations.size(), 8u);
  EXPECT_EQ(std::count(cell.outlier.begin(), cell.outlier.end(), true), 1);
  EXPECT_TRUE(cell.outlier[5]);
  EXPECT_DOUBLE_EQ(cell.real->max, 4);
}

TEST(Analyze, OfNothingHasEmptyCells) {
  const Plan plan = TwoArms(2);
  const Report report = Analyze(plan, {});
  EXPECT_EQ(report.observed, 0);
  for (const Cell& cell : report.pairs) EXPECT_FALSE(cell.real.has_value());
  EXPECT_EQ(Conclude(plan, report).size(), 1u);
}

// Ten blocks with 1 % of noise and "read after mmap" 27 % faster, in time only.
TEST(Conclude, StatesAnInjectedEffectAndNoOther) {
  const Plan plan = TwoArms(10);
  Random random(77);
  const Report report =
      Analyze(plan, Observe(plan, [&](const Trial& trial) {
                return (IsPair(trial, 0, 1) ? 5.66 : 7.8) * std::exp(0.01 * random.Normal());
              }));
  const CarryOver& carry_over = *PairOf(report, 0, 1).real_carry_over;
  EXPECT_TRUE(carry_over.effect);
  ASSERT_TRUE(carry_over.interval.has_value());
  EXPECT_LT(carry_over.interval->low, 5.66 / 7.8);
  EXPECT_GT(carry_over.interval->high, 5.66 / 7.8);
  const std::vector<std::string> sentences = Conclude(plan, report);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_NE(sentences[0].find("read after mmap, against read after read: takes 27 % less time"),
            std::string::npos)
      << sentences[0];
  EXPECT_NE(sentences[1].find("no effect on time found, smallest detectable:"), std::string::npos)
      << sentences[1];
}

TEST(Conclude, ClaimsNothingFromFewerThanTenBlocks) {
  const Plan plan = TwoArms(9);
  const Report report = Analyze(
      plan, Observe(plan, [](const Trial& trial) { return IsPair(trial, 0, 1) ? 1.0 : 2.0; }));
  EXPECT_FALSE(PairOf(report, 0, 1).real_carry_over->effect);
  const std::vector<std::string> sentences = Conclude(plan, report);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_EQ(sentences[0],
            "No conclusion from 9 complete blocks: at least 10 are needed for a claim.");
}

TEST(ChangeInWords, SaysHowMuchAndWhichWay) {
  EXPECT_EQ(ChangeInWords(0.73), "27 % less");
  EXPECT_EQ(ChangeInWords(1.031), "3.1 % more");
  EXPECT_EQ(ChangeInWords(2.4), "2.4 times as much");
  EXPECT_EQ(ChangeInWords(1.0), "0.0 % more");
}

}  // namespace
}  // namespace mr::lab
