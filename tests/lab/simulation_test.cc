#include "lab/analysis/simulation.h"

#include <gtest/gtest.h>

namespace mr::lab {
namespace {

SimulationResult RunSimulation(SimulationPlan plan) {
  return Simulate(plan, [](int) { return true; });
}

// Four standard errors of a share near 0.95 over 2000 experiments are 0.0195.
constexpr double kFourErrors = 0.0195;

TEST(Simulation, RecoversAnInjectedEffectWithinItsIntervalAtTheNominalRate) {
  const SimulationResult result = RunSimulation({.effect = 0.73, .noise = 0.05, .blocks = 12});
  EXPECT_NEAR(result.Share(result.covered), 0.95, kFourErrors);
  EXPECT_NEAR(result.median_ratio, 0.73, 0.005);
  EXPECT_GT(result.Share(result.alarms), 0.999);
  EXPECT_LE(result.Share(result.false_alarms), 0.05 + kFourErrors);
}

TEST(Simulation, OfArmsThatLeaveNothingBehindRaisesFalseAlarmsAtMostAtTheNominalRate) {
  const SimulationResult result = RunSimulation({.effect = 1, .noise = 0.05, .blocks = 10});
  EXPECT_NEAR(result.Share(result.covered), 0.9512, kFourErrors);
  EXPECT_LE(result.Share(result.false_alarms), 0.05 + kFourErrors);
  EXPECT_GT(result.false_alarms, 0);
}

// With effect 0.5 one of six comparisons is true and five are not.
TEST(Simulation, OfThreeArmsHoldsItsLevelForAllPairsTogether) {
  for (const Design design : {Design::kChain, Design::kReset}) {
    const SimulationResult nothing =
        RunSimulation({.effect = 1, .noise = 0.05, .blocks = 12, .arms = 3, .design = design});
    EXPECT_LE(nothing.Share(nothing.false_alarms), 0.05 + kFourErrors);
    EXPECT_GT(nothing.false_alarms, 0);
    const SimulationResult half =
        RunSimulation({.effect = 0.5, .noise = 0.05, .blocks = 12, .arms = 3, .design = design});
    EXPECT_LE(half.Share(half.false_alarms), 0.05 + kFourErrors);
    EXPECT_NEAR(half.Share(half.covered), 0.95, kFourErrors);
    EXPECT_EQ(half.alarms, half.experiments);
  }
}

TEST(Simulation, FindsTheSmallestDetectableEffectFourTimesOutOfFive) {
  for (const auto& [arms, blocks] : {std::pair(2, 12), {3, 20}}) {
    SimulationPlan plan{.noise = 0.04, .blocks = blocks, .arms = arms};
    plan.effect = 1 - RunSimulation(plan).median_detectable;
    const SimulationResult result = RunSimulation(plan);
    EXPECT_NEAR(result.Share(result.alarms), 0.8, 0.1);
  }
}

TEST(Simulation, WithoutNoiseStillTakesNothingForAnEffect) {
  const SimulationResult result = RunSimulation({.effect = 1, .noise = 0, .experiments = 50});
  EXPECT_EQ(result.false_alarms, 0);
  EXPECT_EQ(result.covered, 50);
}

TEST(Simulation, OfTooFewBlocksClaimsNothing) {
  const SimulationResult result =
      RunSimulation({.effect = 0.5, .noise = 0.01, .blocks = 5, .experiments = 50});
  EXPECT_EQ(result.alarms, 0);
  EXPECT_EQ(result.without_interval, 50);
}

TEST(Simulation, IsDecidedByItsSeedAndStopsWhenTold) {
  const SimulationPlan plan{.effect = 0.97, .experiments = 100, .seed = 3};
  EXPECT_EQ(RunSimulation(plan).alarms, RunSimulation(plan).alarms);
  EXPECT_EQ(Simulate(plan, [](int done) { return done < 7; }).experiments, 7);
}

}  // namespace
}  // namespace mr::lab
