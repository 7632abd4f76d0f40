#include "app/mrbench/compare_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "lab/compare/stage.h"
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

// The default arms search a directory, too.
std::vector<lab::Arm> MakeArms(const SearchOptions& options, bool directory) {
  std::vector<lab::Arm> arms = ArmsOf(options);
  if (!options.arms.empty() || !directory) return arms;
  for (lab::Arm& arm : arms) arm.command.insert(arm.command.find("-e {pattern}"), "-r ");
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
  command
      .add_option("--start", options.start,
                  "from which page cache: cold (nothing in it), warm (all of it), both")
      ->capture_default_str();
  DeclareSearchOptions(command, options.search, "every search at every place");
  DeclareLogOptions(command, options.log, "text, markdown, csv, json");
  command.add_flag("--dry-run", options.dry_run, "print the schedule and run nothing");
}

lab::ComparePlan MakePlan(const CompareOptions& options) {
  lab::ComparePlan plan;
  plan.counting = CountingOf(options.search);
  plan.blocks = options.search.blocks;
  plan.seed = options.search.seed;
  plan.timeout = std::chrono::seconds(options.search.timeout_s);
  if (options.data.empty()) throw UsageError("which DATA is to be searched?");
  if (options.places.size() < 2) throw UsageError("--at: at least two places are needed");

  std::error_code error;
  const fs::path source = fs::canonical(options.data, error);
  if (error) throw os::IoError(options.data, error.value());
  plan.source = source;
  plan.places = MakePlaces(options, source.filename());
  plan.arms = MakeArms(options.search, fs::is_directory(source));
  CheckNumberOfTrials("--blocks", plan.blocks, lab::TrialsPerBlock(plan));
  plan.pattern = PatternOf(options.search, plan.source);
  return plan;
}

void DescribeData(const lab::DataInventory& inventory, lab::ComparePlan& plan) {
  plan.files = inventory.files.size();
  plan.data_bytes = inventory.total_bytes();
  plan.checksum = inventory.checksum();
}

}  // namespace mr::app
