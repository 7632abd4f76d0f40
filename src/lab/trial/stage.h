// The world that trials meet: the page cache, processes and the kernel's counters, behind one
// interface so that the rules of a trial can be tested without any of them.
#pragma once

#include <memory>
#include <string>

#include "lab/plan/observation.h"
#include "lab/plan/plan.h"
#include "os/page_cache.h"
#include "os/process.h"

namespace mr::lab {

// The kernel's counters at one moment.
struct CounterState {
  os::Counters vmstat;
  os::Counters pressure;
  os::Counters group;  // empty without a memory limit
  os::Counters cpu;
};

// Not thread-safe. Methods throw os::IoError and os::CgroupError where the world fails altogether.
class Stage {
 public:
  virtual ~Stage() = default;

  // Writes the data's dirty pages back, drops it from the page cache, and looks.
  virtual os::Eviction Evict() = 0;
  virtual CacheState LookAtCache() = 0;
  virtual CounterState ReadCounters() = 0;
  // Runs a trial's command under the plan's limits.
  virtual os::ProcessResult RunLimited(os::Command command) = 0;
  // Whether the arms are kept from swapping.
  virtual bool LimitsSwap() const { return false; }
  // What was seen during the last RunLimited, as far as somebody looked.
  virtual RunTrace TakeTrace() { return {}; }
  // Runs a command outside of them, so that what it caches is not charged to the trials' group.
  virtual os::ProcessResult RunFree(const os::Command& command) = 0;
};

// The real one. Makes the control groups that the plan needs and removes them at its end; throws
// os::CgroupError when there are none to be had, and os::IoError when the data's disk cannot be
// throttled.
std::unique_ptr<Stage> MakeStage(const Plan& plan);

}  // namespace mr::lab
