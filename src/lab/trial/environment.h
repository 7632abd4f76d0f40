// What an experiment ran on, for its log, and what about it makes the figures less trustworthy.
#pragma once

#include <string>
#include <vector>

#include "lab/log/record.h"
#include "lab/plan/plan.h"
#include "os/machine.h"

namespace mr::lab {

struct Surroundings {
  os::Machine machine;
  os::FileSystem file_system;
  std::vector<std::string> programs;  // of each arm, as paths
  std::vector<std::string> versions;  // what they say of themselves; empty where not asked
};

// Asks programs that are known to answer quickly (mrgrep and other search tools) for their
// version; others may do anything when called with --version. Throws os::IoError when the plan's
// file is not there.
Surroundings DescribeSurroundings(const Plan& plan, const std::vector<std::string>& programs);

Json ToJson(const os::Machine& machine);
Json ToJson(const os::FileSystem& file_system);
Json ToJson(const Surroundings& surroundings);

// Sentences for the user. `swap_is_limited`: the arms are kept from swapping. Pure.
std::vector<std::string> FindWarnings(const Plan& plan, const Surroundings& surroundings,
                                      bool swap_is_limited);

}  // namespace mr::lab
