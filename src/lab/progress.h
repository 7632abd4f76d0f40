// The one line on a terminal that says how far an experiment is, and the loud lines about trials
// that went wrong.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "lab/experiment.h"
#include "lab/plan.h"

namespace mr::lab {

// "0:07", "12:30", "1:02:03".
std::string FormatDuration(std::chrono::seconds duration);

// Writes to `stream`: the progress line only when that is a terminal, failed trials always. While
// it lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process; one at a time.
class ProgressWatcher : public Watcher {
 public:
  ProgressWatcher(const Plan& plan, std::FILE* stream);
  ~ProgressWatcher() override;
  ProgressWatcher(const ProgressWatcher&) = delete;
  ProgressWatcher& operator=(const ProgressWatcher&) = delete;

  void BeforeTrial(const Trial& trial, std::size_t done, std::size_t total) override;
  void AfterTrial(const Observation& observation) override;
  int StopSignal() override;

 private:
  void Erase();

  const Plan& plan_;
  std::FILE* stream_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace mr::lab
