#include "app/mrbench_pairs_options.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "app/mrbench_commands.h"
#include "io/size.h"
#include "lab/arm.h"
#include "lab/data_set.h"
#include "os/error.h"
#include "os/page_cache.h"

namespace mr::app {
namespace {

// Smaller groups cannot even hold a program that starts.
constexpr std::uint64_t kSmallestMemoryBytes = std::uint64_t{4} << 20;

std::vector<lab::Arm> MakeArms(const std::vector<std::string>& typed) {
  const std::string mrgrep = lab::FindMrgrep();
  if (typed.empty()) return lab::DefaultArms(mrgrep);
  std::vector<lab::Arm> arms;
  std::set<std::string> names;
  for (const std::string& text : typed) {
    arms.push_back(lab::ParseArm(text, mrgrep));
    if (!names.insert(arms.back().name).second) {
      throw UsageError(fmt::format("two arms are called '{}'", arms.back().name));
    }
  }
  return arms;
}

std::uint64_t FileBytes(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw os::IoError(path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw os::IoError(path, "not a regular file: there is nothing of it in the page cache");
  }
  if (status.st_size == 0) throw os::IoError(path, "the file is empty");
  return static_cast<std::uint64_t>(status.st_size);
}

std::string DefaultPattern(const std::string& path) {
  const std::optional<lab::DataSidecar> sidecar = lab::ReadSidecar(path);
  if (!sidecar) {
    throw UsageError(
        "--pattern is needed: the file has no sidecar that names a needle (see mrbench data)");
  }
  return sidecar->spec.needle;
}

}  // namespace

void DeclareOptions(CLI::App& command, PairsOptions& options) {
  command.add_option("FILE", options.file, "the data to search");
  command.add_option("-e,--pattern", options.pattern,
                     "what to search for (default: the needle of the data's sidecar)");
  command
      .add_option("--arm", options.arms,
                  "NAME='COMMAND {pattern} {file}', or mmap, read; may be repeated\n"
                  "(default: --arm mmap --arm read, which run mrgrep)")
      ->type_name("ARM")
      ->allow_extra_args(false);
  command
      .add_option("--design", options.design,
                  "chain: each run is followed by the next; reset: every pair from a cold cache")
      ->capture_default_str();
  command.add_option("--blocks", options.blocks, "how often every pair is run")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the order of the trials")->capture_default_str();
  command
      .add_option("--memory", options.memory,
                  "SIZE, a multiple of the file such as 0.5x, or machine (no limit)")
      ->capture_default_str();
  command.add_option("--disk-rate", options.disk_rate, "SIZE per second at which trials may read");
  command
      .add_option("--count", options.count,
                  "how arms tell what they found: lines, number (grep -c), none")
      ->capture_default_str();
  command.add_option("--expect", options.expected_matches,
                     "the number of lines that every trial must find");
  command.add_option("--timeout", options.timeout_s, "SECONDS after which a trial is ended");
  command.add_option("--log", options.log,
                     "the new log (default: mrbench-pairs-TIME.jsonl in this directory)");
  command.add_option("--resume", options.resume, "LOG of an interrupted run to go on with");
  command.add_option("--from", options.from, "LOG to report on, without running anything");
  command.add_option("--format", options.format, "of the report: text, markdown, csv, json")
      ->capture_default_str();
  command.add_flag("--dry-run", options.dry_run, "print the schedule and run nothing");
}

void NotePlanning(const CLI::App& command, PairsOptions& options) {
  const auto is_about_the_log = [](const std::string& name) {
    return name == "--resume" || name == "--from" || name == "--format";
  };
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && !is_about_the_log(name)) options.planning.push_back(name);
  }
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
  plan.arms = MakeArms(options.arms);
  const std::optional<lab::Design> design = lab::ParseDesign(options.design);
  if (!design) throw UsageError(fmt::format("--design '{}': not chain or reset", options.design));
  plan.design = *design;
  const std::optional<lab::Counting> counting = lab::ParseCounting(options.count);
  if (!counting) {
    throw UsageError(fmt::format("--count '{}': not lines, number or none", options.count));
  }
  plan.counting = *counting;
  if (options.blocks < 1) throw UsageError("--blocks: at least one is needed");
  plan.blocks = options.blocks;
  plan.seed = options.seed;
  if (options.timeout_s < 0) throw UsageError("--timeout: not a number of seconds");
  plan.timeout = std::chrono::seconds(options.timeout_s);
  if (options.dry_run) return plan;

  if (options.file.empty()) throw UsageError("which FILE is to be searched?");
  plan.file_bytes = FileBytes(options.file);
  plan.file = std::filesystem::canonical(options.file);
  plan.pattern = options.pattern.empty() ? DefaultPattern(plan.file) : options.pattern;
  plan.memory_bytes = ParseMemory(options.memory, plan.file_bytes);
  if (!options.disk_rate.empty()) {
    plan.disk_bytes_per_second = io::ParseSize(options.disk_rate);
    if (plan.disk_bytes_per_second.value_or(0) == 0) {
      throw UsageError(
          fmt::format("--disk-rate '{}': not a size per second (200M)", options.disk_rate));
    }
  }
  return plan;
}

}  // namespace mr::app
