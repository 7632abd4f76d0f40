#include "lab/analysis/simulation.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lab/analysis/analysis.h"
#include "lab/analysis/statistics.h"
#include "lab/data/random.h"
#include "lab/plan/schedule.h"

namespace mr::lab {
namespace {

// The pair that may have an effect: the second arm after the first.
constexpr int kFirst = 0;
constexpr int kSecond = 1;

// The standard deviation on the logarithmic scale that gives this coefficient of variation.
double LogDeviation(double variation) { return std::sqrt(std::log1p(variation * variation)); }

// The cells of one experiment, each trial drawn where the schedule has it.
std::vector<Cell> DrawPairs(const SimulationPlan& simulation, const Plan& plan, Random& random) {
  const double noise = LogDeviation(simulation.noise);
  const double drift = LogDeviation(simulation.drift);
  std::vector<Cell> pairs(static_cast<std::size_t>(simulation.arms) * simulation.arms);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].first = static_cast<int>(i) / simulation.arms;
    pairs[i].second = static_cast<int>(i) % simulation.arms;
  }
  int block = -1;
  double common = 0;
  for (const Trial& trial : MakeSchedule(plan)) {
    if (trial.block != block) {
      block = trial.block;
      common = drift * random.Normal();
    }
    if (!trial.previous) continue;
    const bool affected = trial.previous == kFirst && trial.arm == kSecond;
    const double seconds =
        (affected ? simulation.effect : 1.0) * std::exp(common + noise * random.Normal());
    Observation row;
    row.trial = trial;
    row.real = std::chrono::nanoseconds(std::llround(seconds * 1e9));
    pairs[static_cast<std::size_t>(*trial.previous) * simulation.arms + trial.arm]
        .observations.push_back(row);
  }
  return pairs;
}

}  // namespace

SimulationResult Simulate(const SimulationPlan& simulation, const std::function<bool(int)>& go_on) {
  Plan plan;
  plan.arms.resize(static_cast<std::size_t>(simulation.arms));
  plan.blocks = simulation.blocks;
  plan.design = simulation.design;
  plan.seed = simulation.seed;
  Random random(simulation.seed);
  SimulationResult result;
  std::vector<double> ratios;
  std::vector<double> detectable;
  while (result.experiments < simulation.experiments && go_on(result.experiments)) {
    ++plan.seed;
    std::vector<Cell> pairs = DrawPairs(simulation, plan, random);
    CompareWithItself(pairs, simulation.arms);
    const CarryOver& affected = *pairs[kFirst * simulation.arms + kSecond].real_carry_over;
    ++result.experiments;
    ratios.push_back(affected.ratio);
    if (affected.smallest_detectable) detectable.push_back(*affected.smallest_detectable);
    if (affected.effect) ++result.alarms;
    bool false_alarm = false;
    for (const Cell& cell : pairs) {
      if (!cell.real_carry_over || !cell.real_carry_over->effect) continue;
      const bool real = cell.first == kFirst && cell.second == kSecond && simulation.effect != 1;
      false_alarm = false_alarm || !real;
    }
    if (false_alarm) ++result.false_alarms;
    if (!affected.interval) {
      ++result.without_interval;
    } else if (affected.interval->low <= simulation.effect &&
               simulation.effect <= affected.interval->high) {
      ++result.covered;
    }
  }
  if (!ratios.empty()) result.median_ratio = Median(ratios);
  if (!detectable.empty()) result.median_detectable = Median(detectable);
  return result;
}

}  // namespace mr::lab
