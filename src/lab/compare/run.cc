#include "lab/compare/run.h"

#include <fmt/format.h>

#include "lab/compare/stage.h"
#include "lab/trial/trial.h"

namespace mr::lab {

CompareRunner::CompareRunner(const ComparePlan& plan, const DataInventory& inventory,
                             const std::vector<std::vector<std::vector<std::string>>>& commands)
    : plan_(plan), inventory_(inventory), commands_(commands) {}

std::uint64_t CompareRunner::CountOnce() {
  PlaceStage stage(plan_, inventory_, 0);
  const Plan plan = PlanAt(plan_, 0);
  return TrialRunner(plan, commands_[0], stage).CountOnce(0);
}

CompareObservation CompareRunner::Run(const CompareTrial& trial) {
  CompareObservation result;
  result.trial = trial;
  result.row.trial = {.index = trial.index,
                      .block = trial.block,
                      .unit = trial.index,
                      .arm = trial.arm,
                      .previous = {}};
  result.row.started = UtcNow();

  PlaceStage stage(plan_, inventory_, trial.place);
  const std::string obstacle = stage.Prepare(trial.start);
  if (!obstacle.empty()) {
    result.row.outcome = Outcome::kNotPrepared;
    result.row.reason = obstacle;
    return result;
  }
  if (const auto backing = stage.LookAtBacking()) {
    result.backing_before_pages = backing->resident_pages;
  }
  // To the rules of a trial a warm start is one that follows something, so that nothing is evicted.
  Trial step = result.row.trial;
  if (trial.start == CacheStart::kWarm) step.previous = trial.arm;
  const Plan plan = PlanAt(plan_, trial.place);
  TrialRunner runner(plan, commands_[trial.place], stage);
  runner.Expect(truth_);
  if (step.previous) runner.ComesAfter(stage.total_pages());
  result.row = runner.Run(step);
  result.row.trial.previous.reset();
  result.nfs = stage.nfs();
  if (const auto backing = stage.LookAtBacking()) {
    result.backing_after_pages = backing->resident_pages;
  }
  if (result.row.outcome == Outcome::kOk && !PlaceStage::IsAt(trial.start, result.row.before)) {
    result.row.outcome = Outcome::kNotPrepared;
    result.row.reason =
        fmt::format("{} of {} pages were in the page cache when the arm started",
                    result.row.before.resident_pages.value_or(0), result.row.before.total_pages);
  }
  return result;
}

}  // namespace mr::lab
