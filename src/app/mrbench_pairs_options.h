// The command line of `mrbench pairs`: what was typed, and the plan that it means.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plan.h"
#include "lab/report.h"

namespace mr::app {

// As typed; nothing is checked or looked up yet.
struct PairsOptions {
  std::string file;
  std::string pattern;
  std::vector<std::string> arms;
  std::string design = "chain";
  int blocks = 10;
  std::uint64_t seed = 1;
  std::string memory = "machine";
  std::string disk_rate;
  std::string count = "lines";
  std::optional<std::uint64_t> expected_matches;
  std::int64_t timeout_s = 0;
  std::string log;
  std::string resume;
  std::string from;
  std::string format = "text";
  bool dry_run = false;
  // The options that were given and that say what is to be done: a log says that by itself.
  std::vector<std::string> planning;
};

void DeclareOptions(CLI::App& command, PairsOptions& options);

// Fills in `options.planning` after the command line was parsed.
void NotePlanning(const CLI::App& command, PairsOptions& options);

// The plan. Its file must exist unless `options.dry_run`. Throws UsageError, lab::ArmError and
// os::IoError.
lab::Plan MakePlan(const PairsOptions& options);

// The value of --memory: "machine" is nothing; else a size, or a multiple of the file's size such
// as "0.5x". Throws UsageError.
std::optional<std::uint64_t> ParseMemory(std::string_view text, std::uint64_t file_bytes);

}  // namespace mr::app
