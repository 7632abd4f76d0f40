// What this process itself has used so far: for work that is measured without a child.
#pragma once

#include <chrono>
#include <cstdint>

namespace mr::os {

// getrusage(2) of RUSAGE_SELF, all threads included. Without CONFIG_VIRT_CPU_ACCOUNTING the kernel
// splits time into user and system by what a clock tick (1 to 10 ms) happened to interrupt: the
// sum is exact to a microsecond, the parts of a short stretch are all or nothing, and only sums or
// means over many ticks say something.
struct OwnUsage {
  std::chrono::nanoseconds wall{};  // steady clock
  std::chrono::nanoseconds cpu{};   // user and system together, CLOCK_PROCESS_CPUTIME_ID
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t disk_bytes = 0;  // fetched from storage, page faults included
};

OwnUsage MeasureOwnUsage();

OwnUsage operator-(const OwnUsage& after, const OwnUsage& before);

}  // namespace mr::os
