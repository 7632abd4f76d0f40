#include "lab/report/difference.h"

#include <gtest/gtest.h>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

MeasuredThing Drawn(const std::string& name, double median, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  MeasuredThing thing{.name = name, .unit = "s", .values = {}};
  for (std::size_t i = 0; i < count; ++i) {
    thing.values.push_back(median * (1 + 0.02 * random.Normal()));
  }
  return thing;
}

TEST(LogDifference, IsFoundWhereThereIsOne) {
  const std::vector<MeasuredThing> before = {Drawn("rr real", 2, 12, 1)};
  const std::vector<MeasuredThing> after = {Drawn("rr real", 1, 12, 2)};
  const std::vector<Difference> found = CompareLogs(before, after, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].ratio, 0.5, 0.03);
  EXPECT_LT(found[0].interval.low, found[0].ratio);
  EXPECT_GT(found[0].interval.high, found[0].ratio);
  EXPECT_TRUE(found[0].differs);
}

TEST(LogDifference, IsNotClaimedForTheSameThingNorFromFewValues) {
  const std::vector<MeasuredThing> same = {Drawn("rr real", 2, 12, 1)};
  EXPECT_FALSE(CompareLogs(same, same, 1)[0].differs);
  const std::vector<MeasuredThing> few = {Drawn("rr real", 1, 9, 2)};
  EXPECT_FALSE(CompareLogs(same, few, 1)[0].differs);
}

TEST(LogDifference, IsOfWhatBothLogsHave) {
  const std::vector<MeasuredThing> before = {Drawn("mr real", 2, 3, 1), Drawn("rr real", 2, 3, 1),
                                             Drawn("rr sys", 2, 0, 1)};
  const std::vector<MeasuredThing> after = {Drawn("rr real", 2, 3, 1), Drawn("kk real", 2, 3, 1),
                                            Drawn("rr sys", 2, 3, 1)};
  const std::vector<Difference> found = CompareLogs(before, after, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "rr real");
}

TEST(LogDifference, ToNothingIsToAPage) {
  const MeasuredThing some{.name = "rr disk", .unit = "bytes", .values = {8192, 8192}};
  const MeasuredThing none{.name = "rr disk", .unit = "bytes", .values = {0, 0}};
  EXPECT_DOUBLE_EQ(CompareLogs(std::span(&some, 1), std::span(&none, 1), 1)[0].ratio, 0.5);
}

}  // namespace
}  // namespace mr::lab
