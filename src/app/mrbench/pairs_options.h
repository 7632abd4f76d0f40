// The command line of `mrbench pairs`: what was typed, and the plan that it means.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/mrbench/log.h"
#include "app/mrbench/search.h"
#include "lab/plan/plan.h"

namespace mr::app {

// As typed; nothing is checked or looked up yet.
struct PairsOptions {
  std::string file;
  SearchOptions search;
  std::string design = "chain";
  std::string memory = "machine";
  std::string disk_rate;
  LogOptions log;
  bool dry_run = false;
};

void DeclareOptions(CLI::App& command, PairsOptions& options);

// The plan. Its file must exist unless `options.dry_run`. Throws UsageError, lab::ArmError and
// os::IoError.
lab::Plan MakePlan(const PairsOptions& options);

// The value of --memory: "machine" is nothing; else a size, or a multiple of the file's size such
// as "0.5x". Throws UsageError.
std::optional<std::uint64_t> ParseMemory(std::string_view text, std::uint64_t file_bytes);

}  // namespace mr::app
