// What `mrbench compare` is to do: the same searches of the same data at several places, each place
// a file system, from an empty and from a filled page cache, in an order that favours none.
//
// Every trial is prepared by itself, so unlike in `mrbench pairs` no trial depends on the one
// before it, and an interrupted comparison goes on with the next trial.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/log/record.h"
#include "lab/plan/plan.h"

namespace mr::lab {

// What of the place's copy is in this machine's page cache when a trial starts.
enum class CacheStart {
  kCold,  // nothing
  kWarm,  // every page, after one sequential reading
};

std::string_view CacheStartName(CacheStart start);  // "cold", "warm"
std::optional<CacheStart> ParseCacheStart(std::string_view name);

struct ComparePlace {
  std::string name;  // short, for tables
  std::string data;  // absolute path of the copy: a file or a directory
  std::string type;  // of the file system, as /proc/self/mountinfo has it
  // The same files as this machine's own disk has them, when it also serves the place: with them
  // the server's cache is seen and emptied too. Empty: not known.
  std::string backing;
  // A file system in memory has no cold start.
  std::vector<CacheStart> starts;

  bool operator==(const ComparePlace&) const = default;
};

struct ComparePlan {
  std::vector<Arm> arms;
  std::vector<ComparePlace> places;
  int blocks = 10;
  std::uint64_t seed = 1;
  std::string pattern;
  std::string source;            // absolute path of the data that was copied
  std::uint64_t files = 1;       // in it
  std::uint64_t data_bytes = 0;  // in all of them
  std::string checksum;          // of the data, the same at every place; see DataInventory
  Counting counting = Counting::kLines;
  std::chrono::seconds timeout{0};

  bool operator==(const ComparePlan&) const = default;
};

struct CompareTrial {
  int index = 0;  // in the schedule, from 0
  int block = 0;
  int place = 0;
  CacheStart start = CacheStart::kCold;
  int arm = 0;

  bool operator==(const CompareTrial&) const = default;
};

// Per block every arm at every place from each of the place's starts, once, in an order of its own
// drawn from the seed. Pure.
std::vector<CompareTrial> MakeCompareSchedule(const ComparePlan& plan);

// As many as MakeCompareSchedule makes for each.
std::size_t TrialsPerBlock(const ComparePlan& plan);

// What --dry-run prints: a line per trial.
std::string DescribeSchedule(const ComparePlan& plan, const std::vector<CompareTrial>& schedule);

// The plan of `mrbench pairs` that has the same trials at one place.
Plan PlanAt(const ComparePlan& plan, int place);

// The names are part of the log's format. Reading throws as lab/log/record.h says.
Json ToJson(const ComparePlan& plan);
ComparePlan ComparePlanFromJson(const Json& json);

}  // namespace mr::lab
