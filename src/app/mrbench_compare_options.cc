#include "app/mrbench_compare_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/mrbench_commands.h"
#include "lab/arm.h"
#include "lab/compare_stage.h"
#include "lab/data_set.h"
#include "os/error.h"
#include "os/mount.h"

namespace mr::app {
namespace {

namespace fs = std::filesystem;

// The directory behind "NAME=" or alone; a '=' in a path comes after a '/'.
struct NamedDirectory {
  std::string name;  // may be empty
  fs::path directory;
};

NamedDirectory ParseNamed(const std::string& text) {
  const std::size_t equals = text.find('=');
  NamedDirectory result;
  if (equals != std::string::npos && text.find('/') > equals) {
    result.name = text.substr(0, equals);
    result.directory = text.substr(equals + 1);
    if (result.name.empty()) throw UsageError(fmt::format("'{}': a place needs a name", text));
  } else {
    result.directory = text;
  }
  std::error_code error;
  if (!fs::is_directory(result.directory, error)) {
    throw os::IoError(result.directory, "not a directory");
  }
  result.directory = fs::canonical(result.directory);
  return result;
}

std::vector<lab::Arm> MakeArms(const std::vector<std::string>& typed, bool directory) {
  const std::string mrgrep = lab::FindMrgrep();
  std::vector<lab::Arm> arms;
  std::set<std::string> names;
  for (const std::string& text : typed) arms.push_back(lab::ParseArm(text, mrgrep));
  if (typed.empty()) {
    arms = lab::DefaultArms(mrgrep);
    static constexpr std::string_view kPattern = "-e {pattern}";
    for (lab::Arm& arm : arms) {
      if (directory) arm.command.insert(arm.command.find(kPattern), "-r ");
    }
  }
  for (const lab::Arm& arm : arms) {
    if (!names.insert(arm.name).second) {
      throw UsageError(fmt::format("two arms are called '{}'", arm.name));
    }
  }
  return arms;
}

std::vector<lab::CacheStart> ParseStarts(const std::string& text) {
  if (text == "both") return {lab::CacheStart::kCold, lab::CacheStart::kWarm};
  const auto start = lab::ParseCacheStart(text);
  if (!start) throw UsageError(fmt::format("--start '{}': not cold, warm or both", text));
  return {*start};
}

// Places named by their file systems, numbered where several are of the same type.
void NamePlaces(std::vector<lab::ComparePlace>& places) {
  std::set<std::string> names;
  for (lab::ComparePlace& place : places) {
    if (place.name.empty()) {
      place.name = place.type;
      for (int number = 2; names.contains(place.name); ++number) {
        place.name = fmt::format("{}-{}", place.type, number);
      }
    }
    if (!names.insert(place.name).second) {
      throw UsageError(fmt::format("two places are called '{}'", place.name));
    }
  }
}

std::vector<lab::ComparePlace> MakePlaces(const CompareOptions& options,
                                          const std::string& data_name) {
  const std::vector<lab::CacheStart> starts = ParseStarts(options.start);
  std::vector<lab::ComparePlace> places;
  std::set<std::string> copies;
  for (const std::string& text : options.places) {
    const NamedDirectory at = ParseNamed(text);
    lab::ComparePlace place;
    place.name = at.name;
    place.data = at.directory / data_name;
    if (!copies.insert(place.data).second) {
      throw UsageError(fmt::format("two places are {}", at.directory.string()));
    }
    const auto mount = os::FindMount(at.directory);
    place.type = mount ? mount->type : "unknown";
    place.starts = starts;
    if (lab::LivesInMemory(place.type)) {
      std::erase(place.starts, lab::CacheStart::kCold);
      if (place.starts.empty()) {
        throw UsageError(
            fmt::format("{} is a {}, which has no cold start", at.directory.string(), place.type));
      }
    }
    places.push_back(std::move(place));
  }
  NamePlaces(places);
  for (const std::string& text : options.backings) {
    const NamedDirectory backing = ParseNamed(text);
    const auto place = std::find_if(
        places.begin(), places.end(),
        [&](const lab::ComparePlace& candidate) { return candidate.name == backing.name; });
    if (place == places.end()) {
      throw UsageError(fmt::format("--backing '{}': no place is called '{}'", text, backing.name));
    }
    place->backing = backing.directory / data_name;
  }
  return places;
}

}  // namespace

void DeclareOptions(CLI::App& command, CompareOptions& options) {
  command.add_option("DATA", options.data, "the file or directory to search");
  command
      .add_option("--at", options.places,
                  "[NAME=]DIR where a copy of the data is searched; at least two, the first is\n"
                  "what the others are compared with")
      ->type_name("PLACE")
      ->allow_extra_args(false);
  command
      .add_option("--backing", options.backings,
                  "NAME=DIR of this machine that place NAME is served from, so that the\n"
                  "server's cache is emptied and verified too")
      ->type_name("PLACE")
      ->allow_extra_args(false);
  command.add_option("-e,--pattern", options.pattern,
                     "what to search for (default: the needle of the data's sidecar)");
  command
      .add_option("--arm", options.arms,
                  "NAME='COMMAND {pattern} {file}', or mmap, read; may be repeated\n"
                  "(default: --arm mmap --arm read, which run mrgrep)")
      ->type_name("ARM")
      ->allow_extra_args(false);
  command
      .add_option("--start", options.start,
                  "from which page cache: cold (nothing in it), warm (all of it), both")
      ->capture_default_str();
  command.add_option("--blocks", options.blocks, "how often every search is run at every place")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the order of the trials")->capture_default_str();
  command
      .add_option("--count", options.count,
                  "how arms tell what they found: lines, number (grep -c), none")
      ->capture_default_str();
  command.add_option("--expect", options.expected_matches,
                     "the number of lines that every trial must find");
  command.add_option("--timeout", options.timeout_s, "SECONDS after which a trial is ended");
  command.add_option("--log", options.log,
                     "the new log (default: mrbench-compare-TIME.jsonl in this directory)");
  command.add_option("--resume", options.resume, "LOG of an interrupted run to go on with");
  command.add_option("--from", options.from, "LOG to report on, without running anything");
  command.add_option("--format", options.format, "of the report: text, markdown, csv, json")
      ->capture_default_str();
  command.add_flag("--dry-run", options.dry_run, "print the schedule and run nothing");
}

lab::ComparePlan MakePlan(const CompareOptions& options) {
  lab::ComparePlan plan;
  const auto counting = lab::ParseCounting(options.count);
  if (!counting) {
    throw UsageError(fmt::format("--count '{}': not lines, number or none", options.count));
  }
  plan.counting = *counting;
  if (options.blocks < 1) throw UsageError("--blocks: at least one is needed");
  plan.blocks = options.blocks;
  plan.seed = options.seed;
  if (options.timeout_s < 0) throw UsageError("--timeout: not a number of seconds");
  plan.timeout = std::chrono::seconds(options.timeout_s);
  if (options.data.empty()) throw UsageError("which DATA is to be searched?");
  if (options.places.size() < 2) throw UsageError("--at: at least two places are needed");

  std::error_code error;
  const fs::path source = fs::canonical(options.data, error);
  if (error) throw os::IoError(options.data, error.value());
  plan.source = source;
  plan.places = MakePlaces(options, source.filename());
  plan.arms = MakeArms(options.arms, fs::is_directory(source));
  plan.pattern = options.pattern;
  if (plan.pattern.empty()) {
    const auto sidecar = lab::ReadSidecar(plan.source);
    if (!sidecar) {
      throw UsageError(
          "--pattern is needed: the data has no sidecar that names a needle (see mrbench data)");
    }
    plan.pattern = sidecar->spec.needle;
  }
  return plan;
}

void DescribeData(const lab::DataInventory& inventory, lab::ComparePlan& plan) {
  plan.files = inventory.files.size();
  plan.data_bytes = inventory.total_bytes();
  plan.checksum = inventory.checksum();
}

}  // namespace mr::app
