// What one trial showed: the row of the log that every figure of a report goes back to.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plan/moment.h"
#include "lab/plan/schedule.h"
#include "os/counters.h"
#include "os/process.h"

namespace mr::lab {

// Only kOk is counted in any figure; the others are shown with their reason.
enum class Outcome {
  kOk,
  kNotPrepared,   // the cache could not be brought to the state the trial was to start from
  kFailed,        // the arm could not be started, was killed, or exited with an error
  kTimedOut,      // the arm was ended after Plan::timeout
  kWrongCount,    // the arm did not select the lines that are there
  kNotLimited,    // the memory limit did not hold: more was charged, or data is cached outside
  kDisturbed,     // the cache was not as the run before had left it
  kAfterFailure,  // the run before it in the same unit was not kOk, so its start is not known
};

std::string_view OutcomeName(Outcome outcome);  // "ok", "not prepared", ...
std::optional<Outcome> ParseOutcome(std::string_view name);

// What of the data was in the page cache at one moment. Pages in equal pieces of the file, in
// order: the picture of what is resident.
struct CacheState {
  std::uint64_t total_pages = 0;
  std::optional<std::uint64_t> resident_pages;
  std::vector<std::uint64_t> resident_map;
  std::optional<std::uint64_t> charged_bytes;  // to the memory group, when there is one

  bool operator==(const CacheState&) const = default;
};

// What was seen while the arm ran.
struct RunTrace {
  std::vector<Moment> moments;
  std::optional<std::uint64_t> peak_charged_bytes;  // to the memory group, during this run
  std::optional<double> cpu_mhz;                    // right after it

  bool operator==(const RunTrace&) const = default;
};

struct Observation {
  Trial trial;
  int attempt = 1;  // of its unit: 2 when the unit was run again after an interruption
  Outcome outcome = Outcome::kOk;
  std::string reason;   // for people; empty when kOk
  std::string started;  // UTC, "2025-01-31T12:00:00.123Z"

  std::chrono::nanoseconds real{};
  os::ResourceUsage usage;
  std::optional<os::ProcessIo> io;
  int exit_status = 0;  // as a shell reports it
  std::optional<std::uint64_t> matches;
  std::uint64_t output_bytes = 0;

  CacheState before;
  CacheState after;
  // Differences over the run, under the kernel's names.
  os::Counters vmstat;
  os::Counters pressure;  // microseconds
  os::Counters group;     // of the memory group; "limit_hits" among them
  os::Counters cpu;       // microseconds of the whole machine: "busy", "idle", "steal"
  RunTrace trace;

  // Fetched from storage by the process, page faults included.
  std::uint64_t disk_bytes() const {
    return io ? io->read_bytes : static_cast<std::uint64_t>(usage.input_blocks) * 512;
  }
};

}  // namespace mr::lab
