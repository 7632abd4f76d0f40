// Does the analysis find what is there, and nothing else? Whole experiments with times drawn from
// a known law go through the same analysis as real ones.
#pragma once

#include <cstdint>
#include <functional>

namespace mr::lab {

struct SimulationPlan {
  double effect = 1;    // time of b after a, against b after b; 1: the arms leave nothing behind
  double noise = 0.02;  // coefficient of variation of a single time
  double drift = 0.05;  // the same of what all times of a block have in common
  int blocks = 10;      // per experiment
  int experiments = 2000;
  std::uint64_t seed = 1;
};

struct SimulationResult {
  int experiments = 0;
  int alarms = 0;        // experiments in which an effect of a on b was claimed
  int false_alarms = 0;  // in which one was claimed where there is none (a after b, and b after a
                         // when `effect` is 1)
  int covered = 0;       // in which the interval of b after a held the true ratio
  int without_interval = 0;  // too few blocks
  double median_ratio = 1;   // of the estimates

  double Share(int count) const { return experiments == 0 ? 0.0 : double(count) / experiments; }
};

// Two arms, a and b, times log-normal. Pure: the seed decides. `go_on` is asked between
// experiments, with the number done; false ends the simulation early.
SimulationResult Simulate(const SimulationPlan& plan, const std::function<bool(int)>& go_on);

}  // namespace mr::lab
