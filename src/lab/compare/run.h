// Runs the trials of a comparison.
#pragma once

#include <string>
#include <vector>

#include "lab/compare/copies.h"
#include "lab/compare/log.h"
#include "lab/compare/plan.h"

namespace mr::lab {

class CompareRunner {
 public:
  // `commands` are the argument vectors of the arms, by place. Everything must outlive the runner.
  CompareRunner(const ComparePlan& plan, const DataInventory& inventory,
                const std::vector<std::vector<std::vector<std::string>>>& commands);

  // The lines that the first arm selects at the first place. Throws ArmError and Interrupted.
  std::uint64_t CountOnce();

  void Expect(const Truth& truth) { truth_ = truth; }

  // Brings the caches to where the trial starts, verifies that, runs, measures, judges. A start
  // that is not reached is the trial's outcome, and the arm is not run. Throws Interrupted.
  CompareObservation Run(const CompareTrial& trial);

 private:
  const ComparePlan& plan_;
  const DataInventory& inventory_;
  const std::vector<std::vector<std::vector<std::string>>>& commands_;
  Truth truth_;
};

}  // namespace mr::lab
