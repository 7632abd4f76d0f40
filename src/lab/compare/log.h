// The log of `mrbench compare` as values: a header, and then trials and events in the order in
// which they happened. How it is kept on disk: lab/log/log_file.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/compare/plan.h"
#include "lab/log/log_file.h"
#include "lab/log/log_header.h"
#include "lab/log/record.h"
#include "lab/plan/observation.h"
#include "os/counters.h"

namespace mr::lab {

struct CompareObservation {
  CompareTrial trial;
  // Its `trial` has the same index, block and arm, and no predecessor.
  Observation row;
  std::optional<os::Counters> nfs;  // of the mount, over the run; see os/nfs_statistics.h
  // Resident pages of the backing, where there is one.
  std::optional<std::uint64_t> backing_before_pages;
  std::optional<std::uint64_t> backing_after_pages;

  // From the server where the place is NFS, else from storage.
  double fetched_bytes() const;
};

using CompareHeader = ExperimentHeader<ComparePlan>;

struct CompareLog {
  CompareHeader header;
  std::vector<CompareObservation> observations;
  std::vector<LogEvent> events;
  bool cut = false;  // a damaged last line was dropped
};

// Throws os::IoError, naming the line, when the log is not one of `mrbench compare`.
CompareLog ParseCompareLog(const LogFile& file);

// The trials that a log does not have yet. Pure.
std::vector<CompareTrial> RemainingTrials(const std::vector<CompareTrial>& schedule,
                                          const std::vector<CompareObservation>& observations);

Json ToJson(const CompareHeader& header);
Json ToJson(const CompareObservation& observation, const ComparePlan& plan);

}  // namespace mr::lab
