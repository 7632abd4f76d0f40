// A whole experiment: the trials of a schedule one after the other, each logged before the next.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/log/log_file.h"
#include "lab/plan/observation.h"
#include "lab/plan/schedule.h"
#include "lab/trial/trial.h"

namespace mr::lab {

struct PlannedTrial {
  Trial trial;
  int attempt = 1;  // at its unit
};

// What of the schedule is still to do, given what a log holds: all trials of every unit that is
// not complete. The cache is not what it was when a unit was interrupted, so its trials are run
// again from its start, as a further attempt. Pure.
std::vector<PlannedTrial> RemainingTrials(const std::vector<Trial>& schedule,
                                          std::span<const Observation> observations);

// Told about a running experiment, and asked whether to go on.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void BeforeTrial(const Trial& trial, std::size_t done, std::size_t total) = 0;
  virtual void AfterTrial(const Observation& observation) = 0;
  // The signal that asked for an end between two trials; 0 is none.
  virtual int StopSignal() = 0;
};

// Throws Interrupted (the log says where, too) and what else TrialRunner and LogWriter throw; what
// was logged before stays.
void RunExperiment(std::span<const PlannedTrial> trials, TrialRunner& runner, LogWriter& log,
                   Watcher& watcher);

}  // namespace mr::lab
