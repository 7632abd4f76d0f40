// The application cache against the kernel's file cache, over every file of a directory tree.
//
// After measurements published in 2010: a pass over the kernel's cache opens each file, reads it
// into a buffer of 8 MiB and closes it; a pass over the application's own cache (io::
// ApplicationCache, loaded before) opens /dev/null, writes the file's bytes to it and closes it, so
// that both make the same number of calls of open and close. Linux's /dev/null does not look at
// what is written, so nothing is copied there; further cells copy, search, and map.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/studies/study.h"
#include "lab/studies/work.h"

namespace mr::lab {

struct TreeFile {
  std::string path;
  std::uint64_t size_bytes = 0;
};

// The regular files under `directory`, sorted by path; symbolic links are not followed. Throws
// os::IoError: also when the directory, or all of its files together, hold nothing.
std::vector<TreeFile> ListTree(const std::string& directory);

struct AppcachePlan {
  std::string directory;  // absolute
  // Of the tree, so that a log is not continued on another one.
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::string pattern;                             // fixed text for the searches
  std::vector<double> short_shares = {0.25, 0.5};  // memory limits, as shares of `bytes`
};

// Throws os::IoError as ListTree.
AppcachePlan MakeAppcachePlan(const std::string& directory);
Json ToJson(const AppcachePlan& plan);
AppcachePlan AppcachePlanFromJson(const Json& json);  // throws RecordError

// How a cache that is too small is asked for files.
enum class AccessPattern {
  kCyclic,  // all files, always in the same order
  kRandom,  // each as likely as the other
  kSkewed,  // the k-th most popular with probability proportional to 1 / k (Zipf's law)
};
std::string_view AccessPatternName(AccessPattern pattern);  // "cyclic", "random", "skewed"

// `count` indices below `files`. Pure: the seed decides. The popularity of a file in kSkewed does
// not depend on the seed.
std::vector<std::uint32_t> MakeAccesses(AccessPattern pattern, std::size_t files, std::size_t count,
                                        std::uint64_t seed);

// Counts lines with a searching Work in a text that comes in pieces, lines that lie in several
// pieces included.
class PiecewiseSearch {
 public:
  explicit PiecewiseSearch(Work& work) : work_(work) {}
  void Feed(std::string_view piece);
  // The end of the text: the lines counted since the last call.
  std::uint64_t Finish();

 private:
  Work& work_;
  std::string carry_;  // a line without its end
  std::uint64_t lines_ = 0;
};

// The cells without those of memory that is short, whose names ShortCell gives.
inline constexpr std::string_view kKernelCell = "kernel";
inline constexpr std::string_view kApplicationCell = "application";
inline constexpr std::string_view kMmapCell = "mmap";
inline constexpr std::string_view kCopyCell = "application copy";
inline constexpr std::string_view kMmapCopyCell = "mmap copy";
inline constexpr std::string_view kSearchKernelCell = "search kernel";
inline constexpr std::string_view kSearchApplicationCell = "search application";
inline constexpr std::string_view kSearchMmapCell = "search mmap";
inline constexpr std::string_view kLoadCell = "load";
std::string ShortCell(double share, AccessPattern pattern);  // "short 0.25 cyclic"

std::unique_ptr<Study> MakeAppcache(const AppcachePlan& plan);

StudyReport ReportAppcache(const StudyLog& log);

}  // namespace mr::lab
