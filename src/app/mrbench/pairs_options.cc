#include "app/mrbench/pairs_options.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "io/size.h"
#include "os/error.h"
#include "os/page_cache.h"

namespace mr::app {
namespace {

// Smaller groups cannot even hold a program that starts.
constexpr std::uint64_t kSmallestMemoryBytes = std::uint64_t{4} << 20;

std::uint64_t FileBytes(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw os::IoError(path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw os::IoError(path, "not a regular file: there is nothing of it in the page cache");
  }
  if (status.st_size == 0) throw os::IoError(path, "the file is empty");
  return static_cast<std::uint64_t>(status.st_size);
}

// What stands for the size of the file in a dry run that has none.
constexpr std::uint64_t kAnyFileBytes = std::uint64_t{1} << 40;

}  // namespace

void DeclareOptions(CLI::App& command, PairsOptions& options) {
  command.add_option("FILE", options.file, "the data to search");
  DeclareSearchOptions(command, options.search, "every pair");
  command
      .add_option("--design", options.design,
                  "chain: each run is followed by the next; reset: every pair from a cold cache")
      ->capture_default_str();
  command
      .add_option("--memory", options.memory,
                  "SIZE, a multiple of the file such as 0.5x, or machine (no limit)")
      ->capture_default_str();
  command.add_option("--disk-rate", options.disk_rate, "SIZE per second at which trials may read");
  DeclareLogOptions(command, options.log, "text, markdown, csv, json");
  command.add_flag("--dry-run", options.dry_run, "print the schedule and run nothing");
}

std::optional<std::uint64_t> ParseMemory(std::string_view text, std::uint64_t file_bytes) {
  if (text == "machine") return std::nullopt;
  std::optional<std::uint64_t> bytes;
  if (text.ends_with('x')) {
    double ratio = 0;
    const char* end = text.data() + text.size() - 1;
    const auto [parsed, error] = std::from_chars(text.data(), end, ratio);
    if (error == std::errc() && parsed == end && ratio > 0 && ratio < 1e6) {
      bytes = static_cast<std::uint64_t>(std::llround(ratio * static_cast<double>(file_bytes)));
    }
  } else {
    bytes = io::ParseSize(text);
  }
  if (!bytes) {
    throw UsageError(fmt::format(
        "--memory '{}': not a size (300M), a multiple of the file (0.5x) or machine", text));
  }
  const std::uint64_t whole_pages = *bytes / os::PageBytes() * os::PageBytes();
  if (whole_pages < kSmallestMemoryBytes) {
    throw UsageError(fmt::format("--memory '{}': less than {}, no program can run in that", text,
                                 io::FormatSize(kSmallestMemoryBytes)));
  }
  return whole_pages;
}

lab::Plan MakePlan(const PairsOptions& options) {
  lab::Plan plan;
  plan.arms = ArmsOf(options.search);
  const std::optional<lab::Design> design = lab::ParseDesign(options.design);
  if (!design) throw UsageError(fmt::format("--design '{}': not chain or reset", options.design));
  plan.design = *design;
  plan.counting = CountingOf(options.search);
  plan.blocks = options.search.blocks;
  CheckNumberOfTrials("--blocks", plan.blocks, lab::TrialsPerBlock(plan));
  plan.seed = options.search.seed;
  plan.timeout = std::chrono::seconds(options.search.timeout_s);
  if (!options.disk_rate.empty()) {
    plan.disk_bytes_per_second = SizeOption("--disk-rate", options.disk_rate, "size per second");
  }
  if (options.dry_run && options.file.empty()) {
    ParseMemory(options.memory, kAnyFileBytes);
    return plan;
  }

  if (options.file.empty()) throw UsageError("which FILE is to be searched?");
  plan.file_bytes = FileBytes(options.file);
  plan.file = std::filesystem::canonical(options.file);
  plan.memory_bytes = ParseMemory(options.memory, plan.file_bytes);
  if (options.dry_run) return plan;
  plan.pattern = PatternOf(options.search, plan.file);
  return plan;
}

}  // namespace mr::app
