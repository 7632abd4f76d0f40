#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "lab/compare/plan.h"
#include "lab/sample_comparison.h"

namespace mr::lab {
namespace {

TEST(CompareSchedule, RunsEveryArmAtEveryPlaceFromEachOfItsStartsOncePerBlock) {
  const ComparePlan plan = DiskNfsAndMemory(7);
  const std::vector<CompareTrial> schedule = MakeCompareSchedule(plan);
  ASSERT_EQ(schedule.size(), 7u * 10u);  // two arms: 4 on disk, 4 on NFS, 2 in memory
  EXPECT_EQ(TrialsPerBlock(plan), 10u);
  std::map<int, std::set<std::tuple<int, int, CacheStart>>> seen;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const CompareTrial& trial = schedule[i];
    EXPECT_EQ(trial.index, static_cast<int>(i));
    EXPECT_EQ(trial.block, static_cast<int>(i / 10));
    EXPECT_TRUE(seen[trial.block].insert({trial.place, trial.arm, trial.start}).second);
    EXPECT_FALSE(trial.place == 2 && trial.start == CacheStart::kCold);
  }
}

TEST(CompareSchedule, HasAnotherOrderInEachBlockAndTheSameForTheSameSeed) {
  ComparePlan plan = DiskNfsAndMemory(20);
  const std::vector<CompareTrial> schedule = MakeCompareSchedule(plan);
  EXPECT_EQ(MakeCompareSchedule(plan), schedule);
  std::set<int> first_places;
  for (int block = 0; block < 20; ++block) {
    first_places.insert(schedule[static_cast<std::size_t>(block) * 10].place);
  }
  EXPECT_EQ(first_places.size(), 3u);
  plan.seed = 2;
  EXPECT_NE(MakeCompareSchedule(plan), schedule);
}

TEST(ComparePlan, SurvivesBeingWrittenDown) {
  ComparePlan plan = DiskNfsAndMemory(3);
  plan.pattern = "\xff(";
  plan.places[1].backing = "/disk/data";
  plan.timeout = std::chrono::seconds(9);
  plan.counting = Counting::kNumber;
  EXPECT_EQ(ComparePlanFromJson(Json::parse(ToJson(plan).dump())), plan);
}

// Five trials for each arm and block: as pairs, they would be too many.
TEST(ComparePlan, MayHaveMoreBlocksThanPairsOfAsManyArms) {
  ComparePlan plan = DiskNfsAndMemory(100'000);
  while (plan.arms.size() < 20) {
    plan.arms.push_back({"arm" + std::to_string(plan.arms.size()), "true {file}"});
  }
  EXPECT_EQ(ComparePlanFromJson(ToJson(plan)), plan);
  plan.blocks = 100'001;
  EXPECT_THROW(ComparePlanFromJson(ToJson(plan)), RecordError);
}

TEST(ComparePlan, IsRefusedWithoutPlacesAndWithAnUnknownStart) {
  Json json = ToJson(DiskNfsAndMemory(3));
  json["places"][0]["starts"][0] = "tepid";
  EXPECT_THROW(ComparePlanFromJson(json), RecordError);
  json["places"] = Json::array();
  EXPECT_THROW(ComparePlanFromJson(json), RecordError);
}

TEST(ComparePlan, SaysInWordsWhatItWillDo) {
  const ComparePlan plan = DiskNfsAndMemory(1);
  const std::vector<CompareTrial> trials = {
      {.index = 4, .block = 1, .place = 1, .start = CacheStart::kWarm, .arm = 0}};
  EXPECT_EQ(DescribeSchedule(plan, trials), "   5 block   2  warm mmap at nfs\n");
}

}  // namespace
}  // namespace mr::lab
