// What pairs say about themselves while they run: how far they are, and which trials went wrong.
#pragma once

#include <cstdio>

#include "lab/plan/plan.h"
#include "lab/report/progress_line.h"
#include "lab/trial/experiment.h"

namespace mr::lab {

class ProgressWatcher : public Watcher {
 public:
  ProgressWatcher(const Plan& plan, std::FILE* stream);

  void BeforeTrial(const Trial& trial, std::size_t done, std::size_t total) override;
  void AfterTrial(const Observation& observation) override;
  int StopSignal() override;

 private:
  const Plan& plan_;
  ProgressLine line_;
};

}  // namespace mr::lab
