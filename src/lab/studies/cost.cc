#include "lab/studies/cost.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "io/size.h"
#include "lab/studies/memory_file.h"
#include "os/error.h"
#include "os/file.h"
#include "os/ring.h"

namespace mr::lab {
namespace {

// Decimal sizes, as published: "10k", "100M".
std::string DecimalSize(std::uint64_t bytes) {
  if (bytes % 1'000'000 == 0) return fmt::format("{}M", bytes / 1'000'000);
  if (bytes % 1'000 == 0) return fmt::format("{}k", bytes / 1'000);
  return fmt::to_string(bytes);
}

}  // namespace

CostPlan MakeCostPlan(const std::string& file, std::optional<std::uint64_t> bytes,
                      const std::string& directory, std::uint64_t part_bytes, unsigned threads) {
  CostPlan plan;
  std::error_code error;
  plan.file = std::filesystem::canonical(file, error).string();
  if (error) throw os::IoError(file, error.value());
  plan.directory = std::filesystem::canonical(directory, error).string();
  if (error) throw os::IoError(directory, error.value());

  const os::File opened = os::File::Open(plan.file, file, AT_FDCWD, {.nonblocking = true});
  const os::FileInfo info = opened.Info();
  if (info.kind == os::FileKind::kDirectory) throw os::IoError(file, EISDIR);
  if (info.kind != os::FileKind::kRegular) throw os::IoError(file, "not a regular file");
  if (info.size_bytes == 0) throw os::IoError(file, "the file is empty");
  if (bytes && *bytes > info.size_bytes) {
    throw os::IoError(file, fmt::format("has only {} bytes", info.size_bytes));
  }
  plan.bytes = bytes.value_or(info.size_bytes);
  plan.part_bytes = std::min(part_bytes, plan.bytes);
  plan.threads = threads;

  for (const MemoryFileKind kind :
       {MemoryFileKind::kTmpfs, MemoryFileKind::kTmpfsHuge, MemoryFileKind::kMemfd,
        MemoryFileKind::kMemfdHuge, MemoryFileKind::kMemfdHugetlb}) {
    try {
      MemoryFile(kind, opened, plan.part_bytes);
    } catch (const os::IoError& refusal) {
      plan.unavailable[std::string(MemoryFileName(kind))] = refusal.reason();
    }
  }
  try {
    os::Ring(1);
  } catch (const os::IoError& refusal) {
    plan.unavailable["uring"] = refusal.reason();
  }
  try {
    static_cast<void>(opened.ReopenDirect().AlignmentForDirect());
  } catch (const os::IoError& refusal) {
    plan.unavailable["direct"] = refusal.reason();
  }
  return plan;
}

Json ToJson(const CostPlan& plan) {
  return {{"file", plan.file},           {"bytes", plan.bytes},
          {"directory", plan.directory}, {"part_bytes", plan.part_bytes},
          {"threads", plan.threads},     {"unavailable", plan.unavailable}};
}

CostPlan CostPlanFromJson(const Json& json) {
  CostPlan plan{.file = json.at("file").get<std::string>(),
                .bytes = Whole<std::uint64_t>(json.at("bytes")),
                .directory = json.at("directory").get<std::string>(),
                .part_bytes = Whole<std::uint64_t>(json.at("part_bytes")),
                .threads = Whole<unsigned>(json.at("threads")),
                .unavailable = json.at("unavailable").get<std::map<std::string, std::string>>()};
  if (plan.bytes == 0 || plan.part_bytes == 0 || plan.threads == 0) {
    throw RecordError("a plan of cost that makes no sense");
  }
  return plan;
}

std::string ReadCell(std::uint64_t buffer_bytes) { return "read " + io::FormatSize(buffer_bytes); }

std::string MmapCell(std::uint64_t call_bytes, std::string_view how) {
  return fmt::format("mmap {}{}{}", DecimalSize(call_bytes), how.empty() ? "" : ", ", how);
}

std::string HistoryCell(History history, std::string_view how) {
  const char* by = "";
  switch (history) {
    case History::kRead32K:
      by = "read 32K";
      break;
    case History::kRead1M:
      by = "read 1M";
      break;
    case History::kMmap:
      by = "mmap";
      break;
    case History::kOrder0:
      by = "single pages";
      break;
  }
  return fmt::format("cached by {}: {}", by, how);
}

}  // namespace mr::lab
