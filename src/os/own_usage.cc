#include "os/own_usage.h"

#include <sys/resource.h>

#include <ctime>

#include "os/timeval.h"

namespace mr::os {
namespace {

std::chrono::nanoseconds Now(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

OwnUsage MeasureOwnUsage() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {.wall = Now(CLOCK_MONOTONIC),
          .cpu = Now(CLOCK_PROCESS_CPUTIME_ID),
          .user = Microseconds(usage.ru_utime),
          .system = Microseconds(usage.ru_stime),
          .minor_faults = usage.ru_minflt,
          .major_faults = usage.ru_majflt,
          // Linux derives it from the bytes that it counts for /proc/PID/io.
          .disk_bytes = std::int64_t{usage.ru_inblock} * 512};
}

OwnUsage operator-(const OwnUsage& after, const OwnUsage& before) {
  return {.wall = after.wall - before.wall,
          .cpu = after.cpu - before.cpu,
          .user = after.user - before.user,
          .system = after.system - before.system,
          .minor_faults = after.minor_faults - before.minor_faults,
          .major_faults = after.major_faults - before.major_faults,
          .disk_bytes = after.disk_bytes - before.disk_bytes};
}

}  // namespace mr::os
