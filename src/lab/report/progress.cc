#include "lab/report/progress.h"

#include <fmt/format.h>

namespace mr::lab {

ProgressWatcher::ProgressWatcher(const Plan& plan, std::FILE* stream)
    : plan_(plan), line_(stream) {}

void ProgressWatcher::BeforeTrial(const Trial& trial, std::size_t done, std::size_t total) {
  line_.Show(fmt::format(
      "trial {} of {}, block {} of {}{}: {}{}", done + 1, total, trial.block + 1, plan_.blocks,
      line_.TimeLeft(done, total), plan_.arms[trial.arm].name,
      trial.previous ? " after " + plan_.arms[*trial.previous].name : " after eviction"));
}

void ProgressWatcher::AfterTrial(const Observation& observation) {
  // What was not run after a failure has been announced by that failure.
  const bool announced =
      observation.outcome == Outcome::kAfterFailure ||
      (observation.outcome == Outcome::kNotPrepared && observation.trial.previous);
  if (observation.outcome == Outcome::kOk || announced) return;
  const Trial& trial = observation.trial;
  line_.Say(
      fmt::format("trial {} (block {}, {}{}): {}: {}", trial.index + 1, trial.block + 1,
                  plan_.arms[trial.arm].name,
                  trial.previous ? " after " + plan_.arms[*trial.previous].name : " after eviction",
                  OutcomeName(observation.outcome), observation.reason));
}

int ProgressWatcher::StopSignal() { return line_.StopSignal(); }

}  // namespace mr::lab
