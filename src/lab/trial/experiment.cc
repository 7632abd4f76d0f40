#include "lab/trial/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "lab/log/log_header.h"

namespace mr::lab {

std::vector<PlannedTrial> RemainingTrials(const std::vector<Trial>& schedule,
                                          std::span<const Observation> observations) {
  std::map<int, int> last_attempt;
  for (const Observation& row : observations) {
    int& attempt = last_attempt[row.trial.unit];
    attempt = std::max(attempt, row.attempt);
  }
  std::set<int> done;
  for (const Observation& row : observations) {
    if (row.attempt == last_attempt[row.trial.unit]) done.insert(row.trial.index);
  }
  std::set<int> incomplete_units;
  for (const Trial& trial : schedule) {
    if (!done.contains(trial.index)) incomplete_units.insert(trial.unit);
  }
  std::vector<PlannedTrial> remaining;
  for (const Trial& trial : schedule) {
    if (!incomplete_units.contains(trial.unit)) continue;
    remaining.push_back({.trial = trial, .attempt = last_attempt[trial.unit] + 1});
  }
  return remaining;
}

void RunExperiment(std::span<const PlannedTrial> trials, TrialRunner& runner, LogWriter& log,
                   Watcher& watcher) {
  for (std::size_t done = 0; done < trials.size(); ++done) {
    const auto& [trial, attempt] = trials[done];
    try {
      if (const int signal = watcher.StopSignal()) throw Interrupted(signal);
      watcher.BeforeTrial(trial, done, trials.size());
      Observation observation = runner.Run(trial);
      observation.attempt = attempt;
      log.Append(ToJson(observation));
      watcher.AfterTrial(observation);
    } catch (const Interrupted& interruption) {
      log.Append(ToJson(LogEvent{
          .name = "interrupted",
          .time = UtcNow(),
          .text = fmt::format("signal {} at trial {}", interruption.signal(), trial.index + 1)}));
      throw;
    }
  }
  log.Append(ToJson(LogEvent{.name = "finished", .time = UtcNow(), .text = ""}));
}

}  // namespace mr::lab
