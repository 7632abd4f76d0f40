// What a gigabyte costs: read(2) by buffer size, mmap(2) by the size of the call, and what else
// decides it.
//
// After measurements that Travis Downs published in a discussion of compression benchmarks (Linux
// 4.4). The file is copied once before anything is measured, so that no cell pays for a cold cache;
// before each trial it is verified to be wholly in the page cache. Every pass uses one byte of each
// page; some use every byte.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/studies/study.h"

namespace mr::lab {

struct CostPlan {
  std::string file;              // absolute
  std::uint64_t bytes = 0;       // of it, from its beginning, that a pass covers
  std::string directory;         // for a copy that may be evicted and cached again
  std::uint64_t part_bytes = 0;  // of that copy, and of each file in memory
  unsigned threads = 2;
  // Cells that cannot be measured on this machine, and why.
  std::map<std::string, std::string> unavailable;
};

// Finds out what is available. Throws os::IoError: also for a file that is empty or not regular.
CostPlan MakeCostPlan(const std::string& file, std::optional<std::uint64_t> bytes,
                      const std::string& directory, std::uint64_t part_bytes, unsigned threads);
Json ToJson(const CostPlan& plan);
CostPlan CostPlanFromJson(const Json& json);  // throws RecordError

// Names of cells that reports look for.
inline constexpr std::uint64_t kReadBuffers[] = {4096,     16384,    65536,     262144,
                                                 1u << 20, 4u << 20, 16u << 20, 64u << 20};
inline constexpr std::uint64_t kMmapCalls[] = {10'000,     100'000,     1'000'000,
                                               10'000'000, 100'000'000, 1'000'000'000};
std::string ReadCell(std::uint64_t buffer_bytes);  // "read 64K"
std::string MmapCell(std::uint64_t call_bytes,
                     std::string_view how);  // "mmap 100k", "... populate"
inline constexpr std::string_view kReadQuarterCell = "read 1K of every 4K";
inline constexpr std::string_view kReadSmallCell = "read 512";
inline constexpr std::string_view kReadSumCell = "read 64K, sum";
inline constexpr std::string_view kMmapSumCell = "mmap 100M, sum";
inline constexpr std::string_view kMmapSmallSumCell = "mmap 1M, sum";
inline constexpr std::string_view kMemorySumCell = "memory, sum";
inline constexpr std::string_view kMemcpyCell = "memory, memcpy to 64K";
inline constexpr std::string_view kMemcpyFarCell = "memory, memcpy to memory";

// How a file came into the page cache.
enum class History { kRead32K, kRead1M, kMmap, kOrder0 };
std::string HistoryCell(History history, std::string_view how);  // "cached by mmap: read 64K"

std::unique_ptr<Study> MakeCost(const CostPlan& plan);

StudyReport ReportCost(const StudyLog& log);

}  // namespace mr::lab
