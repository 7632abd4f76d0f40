#include "lab/simulation.h"

#include <chrono>
#include <cmath>
#include <vector>

#include "lab/analysis.h"
#include "lab/random.h"
#include "lab/statistics.h"

namespace mr::lab {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;
constexpr int kArms = 2;

// The standard deviation on the logarithmic scale that gives this coefficient of variation.
double LogDeviation(double variation) { return std::sqrt(std::log1p(variation * variation)); }

std::vector<Cell> DrawPairs(const SimulationPlan& plan, Random& random) {
  const double noise = LogDeviation(plan.noise);
  const double drift = LogDeviation(plan.drift);
  std::vector<Cell> pairs(kArms * kArms);
  for (int block = 0; block < plan.blocks; ++block) {
    const double common = drift * random.Normal();
    for (int pair = 0; pair < kArms * kArms; ++pair) {
      Cell& cell = pairs[pair];
      cell.first = pair / kArms;
      cell.second = pair % kArms;
      const bool affected = cell.first == kA && cell.second == kB;
      const double seconds =
          (affected ? plan.effect : 1.0) * std::exp(common + noise * random.Normal());
      Observation row;
      row.trial.block = block;
      row.real = std::chrono::nanoseconds(std::llround(seconds * 1e9));
      cell.observations.push_back(row);
    }
  }
  return pairs;
}

}  // namespace

SimulationResult Simulate(const SimulationPlan& plan, const std::function<bool(int)>& go_on) {
  Random random(plan.seed);
  SimulationResult result;
  std::vector<double> ratios;
  while (result.experiments < plan.experiments && go_on(result.experiments)) {
    std::vector<Cell> pairs = DrawPairs(plan, random);
    CompareWithItself(pairs, kArms);
    const CarryOver& a_on_b = *pairs[kA * kArms + kB].real_carry_over;
    const CarryOver& b_on_a = *pairs[kB * kArms + kA].real_carry_over;
    ++result.experiments;
    ratios.push_back(a_on_b.ratio);
    if (a_on_b.effect) ++result.alarms;
    if (b_on_a.effect || (a_on_b.effect && plan.effect == 1)) ++result.false_alarms;
    if (!a_on_b.interval) {
      ++result.without_interval;
    } else if (a_on_b.interval->low <= plan.effect && plan.effect <= a_on_b.interval->high) {
      ++result.covered;
    }
  }
  if (!ratios.empty()) result.median_ratio = Median(ratios);
  return result;
}

}  // namespace mr::lab
