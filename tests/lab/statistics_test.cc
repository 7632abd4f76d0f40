#include "lab/analysis/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

using Values = std::vector<double>;

TEST(Quantile, InterpolatesBetweenOrderStatisticsAsRAndNumPyDo) {
  const Values values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(Quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(Median(values), 2.5);
  EXPECT_DOUBLE_EQ(Quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(Median(Values{7}), 7);
}

// Averages of 1, 2, 4, 10 in pairs: 1 1.5 2 2.5 3 4 5.5 6 7 10.
TEST(HodgesLehmann, IsTheMedianOfAllPairwiseAverages) {
  EXPECT_DOUBLE_EQ(HodgesLehmann(Values{10, 1, 4, 2}), 3.5);
}

// R: wilcox.test(c(1.1,-0.3,0.8,2.4,1.9,0.5,-0.9,1.6,3.1,0.2), conf.int=TRUE, exact=TRUE) rejects
// rank sums up to 8 of 55, so that the interval runs from the 9th average to the 9th from the top.
TEST(HodgesLehmannInterval, LeavesOutTheAveragesThatTheExactTestRejects) {
  const Values values = {1.1, -0.3, 0.8, 2.4, 1.9, 0.5, -0.9, 1.6, 3.1, 0.2};
  Values averages;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  const auto interval = HodgesLehmannInterval(values, 0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_DOUBLE_EQ(interval->low, averages[8]);
  EXPECT_DOUBLE_EQ(interval->high, averages[55 - 9]);
}

TEST(HodgesLehmannInterval, NeedsSixBlocksForNinetyFivePercent) {
  EXPECT_FALSE(HodgesLehmannInterval(Values{1, 2, 3, 4, 5}, 0.95).has_value());
  EXPECT_EQ(HodgesLehmannInterval(Values{1, 2, 3, 4, 5, 6}, 0.95), (Interval{1, 6}));
}

TEST(HodgesLehmannInterval, CoversTheTrueCentreAsOftenAsItSays) {
  Random random(5);
  int covered = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    Values values(10);
    for (double& value : values) value = 0.3 + random.Normal();
    const auto interval = HodgesLehmannInterval(values, 0.95);
    if (interval->low <= 0.3 && 0.3 <= interval->high) ++covered;
  }
  // Exactly 0.9512 for ten blocks; four standard errors either way.
  EXPECT_NEAR(static_cast<double>(covered) / kRuns, 0.9512, 0.0137);
}

TEST(SignFlipP, CountsTheWaysToSwapThatAreAsExtreme) {
  // All of one sign: only all swapped and none swapped are as extreme, 2 of 2^n.
  EXPECT_DOUBLE_EQ(SignFlipP(Values{1, 2, 3}), 2.0 / 8);
  EXPECT_DOUBLE_EQ(SignFlipP(Values{-1, -2, -3, -4, -5, -6, -7, -8, -9, -10}), 2.0 / 1024);
  // Ranks 1, 2, 3 with 1 negative: sums 5 or more, 1 or less: {0, 1, 5, 6} of 0 1 2 3 3 4 5 6.
  EXPECT_DOUBLE_EQ(SignFlipP(Values{-1, 2, 3}), 4.0 / 8);
}

TEST(SignFlipP, TakesTiesAndZerosAsTheyAre) {
  EXPECT_DOUBLE_EQ(SignFlipP(Values{0, 0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(SignFlipP(Values{}), 1);
  // Two equal values share rank 1.5: the sums 0, 1.5, 1.5, 3; zeros do not matter.
  EXPECT_DOUBLE_EQ(SignFlipP(Values{0, 2, 2}), 2.0 / 4);
}

TEST(HolmAdjust, MultipliesByHowManyAreLeftAndNeverFalls) {
  EXPECT_THAT(HolmAdjust(Values{0.04, 0.01, 0.03, 0.9}),
              ElementsAre(DoubleNear(0.09, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.09, 1e-12),
                          DoubleNear(0.9, 1e-12)));
  EXPECT_THAT(HolmAdjust(Values{0.6, 0.7}), ElementsAre(1.0, 1.0));
}

TEST(BootstrapMedian, IsReproducibleAndStaysWithinTheSample) {
  const Values values = {5, 3, 8, 1, 9, 2, 7};
  const Interval interval = BootstrapMedian(values, 0.95, 3);
  EXPECT_EQ(interval, BootstrapMedian(values, 0.95, 3));
  EXPECT_GE(interval.low, 1);
  EXPECT_LE(interval.high, 9);
  EXPECT_LT(interval.low, 5);
  EXPECT_GT(interval.high, 5);
  EXPECT_EQ(BootstrapMedian(Values{4}, 0.95, 1), (Interval{4, 4}));
}

TEST(FindOutliers, FlagsWhatStandsApartButNotWhatIsMerelyNotEqual) {
  EXPECT_THAT(FindOutliers(Values{75.98, 76.06, 76.50, 77.35, 77.49, 79.14, 88.88}),
              ElementsAre(false, false, false, false, false, false, true));
  EXPECT_THAT(FindOutliers(Values{1.0, 1.0, 1.0, 1.001}), ElementsAre(false, false, false, false));
  EXPECT_THAT(FindOutliers(Values{1, 100, 1}), ElementsAre(false, false, false));
}

}  // namespace
}  // namespace mr::lab
