// Does the analysis find what is there, and nothing else? Whole experiments with times drawn from
// a known law go through the same analysis as real ones.
#pragma once

#include <cstdint>
#include <functional>

#include "lab/plan/plan.h"

namespace mr::lab {

struct SimulationPlan {
  // Time of the second arm after the first of all, against the second after itself; 1: the arms
  // leave nothing behind. No other pair has an effect.
  double effect = 1;
  double noise = 0.02;  // coefficient of variation of a single time
  double drift = 0.05;  // the same of what all times of a block have in common
  int blocks = 10;      // per experiment
  int arms = 2;         // at least 2
  Design design = Design::kChain;
  int experiments = 2000;
  std::uint64_t seed = 1;
};

struct SimulationResult {
  int experiments = 0;
  int alarms = 0;  // experiments in which an effect of the first arm on the second was claimed
  int false_alarms = 0;      // in which one was claimed where there is none, in any of the pairs
  int covered = 0;           // in which the interval of the affected pair held the true ratio
  int without_interval = 0;  // too few blocks
  double median_ratio = 1;   // of the estimates
  double median_detectable = 0;  // of the smallest effects that would be found; 0 without interval

  double Share(int count) const { return experiments == 0 ? 0.0 : double(count) / experiments; }
};

// Each experiment follows a schedule of its own, times are log-normal. Pure: the seed decides.
// `go_on` is asked between experiments, with the number done; false ends the simulation early.
SimulationResult Simulate(const SimulationPlan& plan, const std::function<bool(int)>& go_on);

}  // namespace mr::lab
