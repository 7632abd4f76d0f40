// The command line of `mrbench compare`: what was typed, and the plan that it means.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/mrbench/log.h"
#include "app/mrbench/search.h"
#include "lab/compare/copies.h"
#include "lab/compare/plan.h"

namespace mr::app {

// As typed; nothing is checked or looked up yet.
struct CompareOptions {
  std::string data;
  std::vector<std::string> places;
  std::vector<std::string> backings;
  std::string start = "both";
  SearchOptions search;
  LogOptions log;
  bool dry_run = false;
};

void DeclareOptions(CLI::App& command, CompareOptions& options);

// The plan, without what only reading the data tells: see DescribeData. Throws UsageError,
// lab::ArmError and os::IoError.
lab::ComparePlan MakePlan(const CompareOptions& options);

// Fills in the plan's number of files, bytes and checksum.
void DescribeData(const lab::DataInventory& inventory, lab::ComparePlan& plan);

}  // namespace mr::app
