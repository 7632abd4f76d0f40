#include "app/mrbench/search.h"

#include <fmt/format.h>

#include <set>

#include "app/mrbench/commands.h"
#include "app/mrbench/log.h"
#include "app/mrbench/number.h"
#include "lab/data/set.h"
#include "lab/plan/truth.h"

namespace mr::app {
namespace {

// Thirty years, which the clock can still count in nanoseconds.
constexpr std::uint64_t kMostSeconds = 1'000'000'000;

}  // namespace

void DeclareSearchOptions(CLI::App& command, SearchOptions& options, const std::string& block) {
  command.add_option("-e,--pattern", options.pattern,
                     "what to search for (default: the needle of the data's sidecar)");
  command
      .add_option("--arm", options.arms,
                  "NAME='COMMAND {pattern} {file}', or mmap, read; may be repeated\n"
                  "(default: --arm mmap --arm read, which run mrgrep)")
      ->type_name("ARM")
      ->allow_extra_args(false);
  command.add_option("--blocks", options.blocks, "how often " + block + " is run")
      ->transform(WholeNumber(1, kMostRepeats))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the order of the trials")
      ->transform(WholeNumber(0))
      ->capture_default_str();
  command
      .add_option("--count", options.count,
                  "how arms tell what they found: lines, number (grep -c), none")
      ->capture_default_str();
  command
      .add_option("--expect", options.expected_matches,
                  "the number of lines that every trial must find")
      ->transform(WholeNumber(0));
  command.add_option("--timeout", options.timeout_s, "SECONDS after which a trial is ended")
      ->transform(WholeNumber(0, kMostSeconds));
}

std::vector<lab::Arm> ArmsOf(const SearchOptions& options) {
  const std::string mrgrep = lab::FindMrgrep();
  if (options.arms.empty()) return lab::DefaultArms(mrgrep);
  std::vector<lab::Arm> arms;
  std::set<std::string> names;
  for (const std::string& text : options.arms) {
    arms.push_back(lab::ParseArm(text, mrgrep));
    if (!names.insert(arms.back().name).second) {
      throw UsageError(fmt::format("two arms are called '{}'", arms.back().name));
    }
  }
  return arms;
}

std::string PatternOf(const SearchOptions& options, const std::string& data) {
  if (!options.pattern.empty()) return options.pattern;
  const std::optional<lab::DataSidecar> sidecar = lab::ReadSidecar(data);
  if (!sidecar) {
    throw UsageError(
        "--pattern is needed: the data has no sidecar that names a needle (see mrbench data)");
  }
  return sidecar->spec.needle;
}

lab::Counting CountingOf(const SearchOptions& options) {
  const std::optional<lab::Counting> counting = lab::ParseCounting(options.count);
  if (!counting) {
    throw UsageError(fmt::format("--count '{}': not lines, number or none", options.count));
  }
  return *counting;
}

lab::Truth FindTruth(const SearchOptions& options, lab::Counting counting, const std::string& data,
                     const std::string& pattern, const std::string& first_arm,
                     const std::function<std::uint64_t()>& count_once) {
  if (counting == lab::Counting::kNone) {
    if (options.expected_matches) throw UsageError("--expect makes no sense with --count none");
    return {};
  }
  if (options.expected_matches) {
    return {.matches = options.expected_matches, .source = "--expect"};
  }
  if (const auto sidecar = lab::ReadSidecar(data)) {
    if (const auto truth = lab::TruthFromSidecar(*sidecar, pattern)) return *truth;
  }
  Say(fmt::format("finding out how many lines match, by one run of {} that does not count",
                  first_arm));
  return {.matches = count_once(), .source = "a run of " + first_arm + " before the first trial"};
}

}  // namespace mr::app
