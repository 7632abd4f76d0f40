#include "lab/studies/cost_model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

ModelCell Made(double calls, double pages, double bytes, const std::array<double, 3>& costs,
               double noise, Random& random) {
  ModelCell cell{.name = "cell", .amounts = {calls, pages, bytes}, .nanoseconds = {}};
  for (int round = 0; round < 10; ++round) {
    const double exact = calls * costs[0] + pages * costs[1] + bytes * costs[2];
    cell.nanoseconds.push_back(exact * (1 + noise * random.Normal()));
  }
  return cell;
}

std::vector<ModelCell> Cells(const std::array<double, 3>& costs, double noise) {
  Random random(1);
  return {Made(1e6, 1e6, 4e9, costs, noise, random), Made(1e3, 1e6, 4e9, costs, noise, random),
          Made(1e6, 1e6, 1e9, costs, noise, random), Made(8e6, 1e6, 4e9, costs, noise, random),
          Made(10, 1e6, 0, costs, noise, random)};
}

TEST(CostModel, FindsCostsThatAreThere) {
  const std::array<double, 3> costs = {150, 60, 0.05};
  const auto fit = FitModel(Cells(costs, 0));
  ASSERT_TRUE(fit);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(fit->costs[i], costs[i], costs[i] * 1e-6);
  for (const double residual : fit->residuals) EXPECT_NEAR(residual, 0, 1e-6);
}

TEST(CostModel, SurroundsThemWithIntervalsUnderNoise) {
  const std::array<double, 3> costs = {150, 60, 0.05};
  const auto fit = FitModel(Cells(costs, 0.02));
  ASSERT_TRUE(fit);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(fit->costs[i], costs[i], costs[i] * 0.1);
    EXPECT_LT(fit->intervals[i].low, fit->intervals[i].high);
    EXPECT_LE(fit->intervals[i].low, fit->costs[i]);
    EXPECT_GE(fit->intervals[i].high, fit->costs[i]);
  }
}

TEST(CostModel, LeavesOutWhatWouldBeNegative) {
  const auto fit = FitModel(Cells({150, -0.001, 0.05}, 0));
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->costs[1], 0);
  EXPECT_GT(fit->costs[0], 0);
  EXPECT_GT(fit->costs[2], 0);
}

TEST(CostModel, RefusesCellsThatDoNotTellThePartsApart) {
  Random random(1);
  const std::array<double, 3> costs = {100, 50, 0.1};
  std::vector<ModelCell> cells;
  for (int i = 1; i <= 4; ++i) cells.push_back(Made(1000.0 * i, 1e6, 4096e6, costs, 0, random));
  EXPECT_FALSE(FitModel(cells)) << "bytes are a fixed multiple of pages";
  cells.resize(2);
  EXPECT_FALSE(FitModel(cells));
}

}  // namespace
}  // namespace mr::lab
