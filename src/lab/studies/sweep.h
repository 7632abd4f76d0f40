// The file-size sweep: what does it cost to load a file once more, by size and by way of reading?
//
// After Zack Weinberg's "mmap versus read benchmark" (2000). Files of many sizes hold one content
// repeated. Each is processed R times, loaded once ("nopurge": the program keeps the file in its
// own cache) or loaded and released for every processing ("purge"). The difference is what R - 1
// loads cost, including what they do to the processor's caches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/whole_file.h"
#include "lab/studies/crunch.h"
#include "lab/studies/study.h"
#include "lab/studies/work.h"

namespace mr::lab {

// Where the memory for a file that is read comes from.
enum class SweepBuffers {
  kMalloc,     // malloc(3) as it is today: blocks that were freed are used again
  kMalloc128,  // malloc(3) as it was in 2000: 128 KiB and more are mapped anew each time
  kPool,       // one buffer for all
};

struct SweepPlan {
  std::vector<std::uint64_t> sizes;  // ascending
  int repeats = 1000;                // R
  // A cell processes at most about this much: for large files R is lowered (to kLeastRepeats at
  // least) and the times are scaled to what R would have given.
  std::uint64_t budget_bytes = std::uint64_t{1} << 30;
  std::vector<std::string> readers;  // IO specs as io::ParseIoSpec reads them
  WorkKind work = WorkKind::kSearch;
  std::string pattern;  // of kSearch
  SweepBuffers buffers = SweepBuffers::kMalloc;
  std::string directory;  // where the files are made

  int RepeatsFor(std::uint64_t size_bytes) const;
};

inline constexpr int kLeastRepeats = 4;

// `per_doubling` sizes from each size to its double, from `first` to `last` bytes, both included.
std::vector<std::uint64_t> SweepSizes(std::uint64_t first, std::uint64_t last, int per_doubling);

Json ToJson(const SweepPlan& plan);
SweepPlan SweepPlanFromJson(const Json& json);            // throws RecordError
std::string_view SweepBuffersName(SweepBuffers buffers);  // "malloc", "malloc-128k", "pool"
std::optional<SweepBuffers> ParseSweepBuffers(std::string_view name);

// "mmap purge 65536"
std::string SweepCell(const std::string& reader, bool purge, std::uint64_t size_bytes);
std::vector<std::string> SweepCells(const SweepPlan& plan);

// The files live in a directory of their own below plan.directory and vanish with it (those of a
// sweep that was killed, with the next sweep there). Throws
// io::IoSpecError and os::IoError.
std::unique_ptr<Study> MakeSweep(const SweepPlan& plan);

// Means over rounds, scaled to R repeats; nothing unless read and mmap are among the readers and
// every cell of theirs has been measured.
std::optional<Raw> SweepRaw(const StudyLog& log);

StudyReport ReportSweep(const StudyLog& log, double clip_s);

}  // namespace mr::lab
