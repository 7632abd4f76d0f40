// What an experiment is to do: everything that was decided before the first trial runs. The plan
// is written into the head of the log, so that a log can be continued and replayed by itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mr::lab {

// Trials are numbered by int, and the schedule of them all is held in memory.
inline constexpr std::uint64_t kMostTrials = 10'000'000;
constexpr bool TooManyTrials(std::uint64_t repeats, std::uint64_t each) {
  return each != 0 && repeats > kMostTrials / each;
}

// One way to do the job, for example "mmap".
struct Arm {
  std::string name;
  std::string command;  // a command line in which {pattern} and {file} stand for the plan's

  bool operator==(const Arm&) const = default;
};

enum class Design {
  // One long run of trials per block, each the predecessor of the next: what a script does.
  kChain,
  // Every pair on its own: evict, run the first, run the second.
  kReset,
};

// How an arm says how many lines it selected.
enum class Counting {
  kLines,   // it prints them: lines on standard output are counted
  kNumber,  // it prints their number, as grep -c does
  kNone,    // it does not say (cat, cp, md5sum): only its exit status is checked
};

struct Plan {
  std::vector<Arm> arms;
  Design design = Design::kChain;
  int blocks = 10;
  std::uint64_t seed = 1;
  std::string pattern;
  std::string file;  // absolute
  std::uint64_t file_bytes = 0;
  Counting counting = Counting::kLines;
  std::optional<std::uint64_t> memory_bytes;           // nothing: the machine's own memory
  std::optional<std::uint64_t> disk_bytes_per_second;  // nothing: as fast as the disk is
  std::chrono::seconds timeout{0};                     // per trial; 0 is none

  bool operator==(const Plan&) const = default;
};

// As many as MakeSchedule makes for each.
std::size_t TrialsPerBlock(const Plan& plan);

// How many lines every trial must select, and how that is known.
struct Truth {
  std::optional<std::uint64_t> matches;  // nothing when Counting::kNone
  std::string source;                    // "the sidecar of the data", "--expect", ...

  bool operator==(const Truth&) const = default;
};

// "mr" for mmap followed by read: the first letters of the two arms, or "NAME,NAME" when two arms
// of the plan begin with the same letter.
std::string PairLabel(const Plan& plan, int first, int second);

std::string_view DesignName(Design design);        // "chain", "reset"
std::string_view CountingName(Counting counting);  // "lines", "number", "none"
std::optional<Design> ParseDesign(std::string_view name);
std::optional<Counting> ParseCounting(std::string_view name);

}  // namespace mr::lab
