#include "lab/plan/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

Plan MakePlan(int arms, Design design, int blocks, std::uint64_t seed) {
  Plan plan;
  for (int arm = 0; arm < arms; ++arm) {
    plan.arms.push_back({std::string(1, static_cast<char>('a' + arm)), "true {file}"});
  }
  plan.design = design;
  plan.blocks = blocks;
  plan.seed = seed;
  return plan;
}

// "-a aa ab" and so on: each trial as predecessor and arm.
std::string Spell(const Plan& plan, const std::vector<Trial>& schedule) {
  std::string text;
  for (const Trial& trial : schedule) {
    if (!text.empty()) text += ' ';
    text += trial.previous ? plan.arms[*trial.previous].name : "-";
    text += plan.arms[trial.arm].name;
  }
  return text;
}

std::map<std::pair<int, int>, int> CountPairs(const std::vector<Trial>& schedule, int block) {
  std::map<std::pair<int, int>, int> counts;
  for (const Trial& trial : schedule) {
    if (trial.block == block && trial.previous) ++counts[{*trial.previous, trial.arm}];
  }
  return counts;
}

TEST(Random, GivesThePublishedSequenceOfSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
}

TEST(Random, DrawsBelowEveryBoundEvenly) {
  Random random(42);
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 30000; ++i) ++counts[random.Below(3)];
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [value, count] : counts) {
    EXPECT_LT(value, 3u);
    EXPECT_NEAR(count, 10000, 500);
  }
}

TEST(DeBruijnCycle, HoldsEveryOrderedPairOnceIncludingSelfPairs) {
  for (int symbols = 1; symbols <= 9; ++symbols) {
    const std::vector<int> cycle = DeBruijnCycle(symbols);
    ASSERT_EQ(cycle.size(), static_cast<std::size_t>(symbols * symbols));
    std::set<std::pair<int, int>> pairs;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      pairs.emplace(cycle[i], cycle[(i + 1) % cycle.size()]);
    }
    EXPECT_EQ(pairs.size(), cycle.size()) << symbols << " symbols";
  }
}

TEST(Schedule, OfEitherDesignHoldsEveryOrderedPairOncePerBlock) {
  for (const Design design : {Design::kChain, Design::kReset}) {
    for (int arms = 1; arms <= 5; ++arms) {
      const Plan plan = MakePlan(arms, design, 7, 11);
      const std::vector<Trial> schedule = MakeSchedule(plan);
      for (int block = 0; block < plan.blocks; ++block) {
        const auto counts = CountPairs(schedule, block);
        EXPECT_EQ(counts.size(), static_cast<std::size_t>(arms * arms));
        for (const auto& [pair, count] : counts) EXPECT_EQ(count, 1);
      }
    }
  }
}

TEST(Schedule, HasAsManyTrialsAsThePlanCounts) {
  for (const Design design : {Design::kChain, Design::kReset}) {
    for (int arms = 1; arms <= 5; ++arms) {
      const Plan plan = MakePlan(arms, design, 3, 1);
      EXPECT_EQ(MakeSchedule(plan).size(), 3 * TrialsPerBlock(plan)) << arms;
    }
  }
}

TEST(Schedule, OfAChainLetsEachTrialFollowTheOneBeforeItAndEachBlockBeginCold) {
  const Plan plan = MakePlan(3, Design::kChain, 5, 3);
  const std::vector<Trial> schedule = MakeSchedule(plan);
  ASSERT_EQ(schedule.size(), 5u * (1 + 9));
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    EXPECT_EQ(schedule[i].index, static_cast<int>(i));
    EXPECT_EQ(schedule[i].unit, schedule[i].block);
    if (i % 10 == 0) {
      EXPECT_EQ(schedule[i].previous, std::nullopt);
    } else {
      EXPECT_EQ(schedule[i].previous, schedule[i - 1].arm);
    }
  }
}

TEST(Schedule, WithResetsMakesEachPairAUnitOfItsOwn) {
  const Plan plan = MakePlan(2, Design::kReset, 3, 3);
  const std::vector<Trial> schedule = MakeSchedule(plan);
  ASSERT_EQ(schedule.size(), 3u * 4 * 2);
  for (std::size_t i = 0; i < schedule.size(); i += 2) {
    EXPECT_EQ(schedule[i].unit, static_cast<int>(i / 2));
    EXPECT_EQ(schedule[i + 1].unit, schedule[i].unit);
    EXPECT_EQ(schedule[i].previous, std::nullopt);
    EXPECT_EQ(schedule[i + 1].previous, schedule[i].arm);
  }
}

// Seeds in published logs must go on to mean these orders.
TEST(Schedule, IsPinnedForKnownSeeds) {
  const Plan chain = MakePlan(2, Design::kChain, 3, 1);
  EXPECT_EQ(Spell(chain, MakeSchedule(chain)), "-b bb ba aa ab -a aa ab bb ba -b ba aa ab bb");
  const Plan reset = MakePlan(2, Design::kReset, 2, 1);
  EXPECT_EQ(Spell(reset, MakeSchedule(reset)), "-b ba -a aa -b bb -a ab -a ab -b ba -a aa -b bb");
}

TEST(Schedule, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const Plan plan = MakePlan(4, Design::kChain, 6, 5);
  Plan other = plan;
  other.seed = 6;
  EXPECT_EQ(MakeSchedule(plan), MakeSchedule(plan));
  EXPECT_NE(MakeSchedule(plan), MakeSchedule(other));
}

TEST(Schedule, LetsEveryPairStandAtEveryPlaceOfAChainBlock) {
  const Plan plan = MakePlan(2, Design::kChain, 200, 9);
  std::map<std::pair<int, int>, std::map<int, int>> places;
  for (const Trial& trial : MakeSchedule(plan)) {
    if (trial.previous) ++places[{*trial.previous, trial.arm}][trial.index % 5];
  }
  ASSERT_EQ(places.size(), 4u);
  for (const auto& [pair, counts] : places) {
    EXPECT_EQ(counts.size(), 4u);
    for (const auto& [place, count] : counts) EXPECT_GT(count, 25);
  }
}

TEST(PairLabel, IsTheInitialsUnlessTwoArmsShareOne) {
  Plan plan;
  plan.arms = {{"mmap", ""}, {"read", ""}};
  EXPECT_EQ(PairLabel(plan, 0, 1), "mr");
  EXPECT_EQ(PairLabel(plan, 1, 1), "rr");
  plan.arms = {{"rg", ""}, {"read", ""}};
  EXPECT_EQ(PairLabel(plan, 0, 1), "rg,read");
}

TEST(DescribeSchedule, SaysWhatEachTrialIs) {
  const Plan plan = MakePlan(2, Design::kReset, 1, 1);
  const std::string text = DescribeSchedule(plan, MakeSchedule(plan));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
  EXPECT_NE(text.find("reset design, 2 arms, 1 blocks, 8 trials, seed 1"), std::string::npos);
  EXPECT_NE(text.find("evict, verify, then a (lead-in)"), std::string::npos);
  EXPECT_NE(text.find("ab  a followed by b"), std::string::npos);
}

}  // namespace
}  // namespace mr::lab
