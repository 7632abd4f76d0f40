// What the subcommands have in common that run searches as trials: which arms, for what, how often.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/plan/arm.h"
#include "lab/plan/plan.h"

namespace mr::app {

// As typed; nothing is checked or looked up yet.
struct SearchOptions {
  std::string pattern;
  std::vector<std::string> arms;
  int blocks = 10;
  std::uint64_t seed = 1;
  std::string count = "lines";
  std::optional<std::uint64_t> expected_matches;
  std::int64_t timeout_s = 0;
};

// `block` says what is run in each.
void DeclareSearchOptions(CLI::App& command, SearchOptions& options, const std::string& block);

// The arms of --arm, or lab::DefaultArms. Throws UsageError and lab::ArmError.
std::vector<lab::Arm> ArmsOf(const SearchOptions& options);

// --pattern, or the needle of the sidecar of `data`. Throws UsageError and os::IoError.
std::string PatternOf(const SearchOptions& options, const std::string& data);

// --count, checked. Throws UsageError.
lab::Counting CountingOf(const SearchOptions& options);

// How many lines of the data match: as --expect says, as its sidecar says, or as `count_once`
// finds out by a run of the first arm. Throws UsageError and what `count_once` throws.
lab::Truth FindTruth(const SearchOptions& options, lab::Counting counting, const std::string& data,
                     const std::string& pattern, const std::string& first_arm,
                     const std::function<std::uint64_t()>& count_once);

}  // namespace mr::app
