// The subcommands of mrbench. Each lives in a file of its own and adds itself to the root.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mr::app {

// What main does once the command line has been understood: returns the exit status. Exceptions
// become a message and status 2.
using Action = std::function<int()>;

// A command line that CLI11 accepts but that makes no sense. what() is shown with a hint at
// --help; status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each adds one subcommand to `root` and, when it was chosen, sets `action` from its callback.

// `command` is the command line to be timed, filled in by main before the callback runs: CLI11
// must not see it, since it would look for options in it and take "[0-9]" for a list.
inline constexpr const char* kTimeCommand = "time";
void AddTimeCommand(CLI::App& root, Action& action, const std::vector<std::string>& command);
void AddDataCommand(CLI::App& root, Action& action);
void AddPairsCommand(CLI::App& root, Action& action);
void AddCompareCommand(CLI::App& root, Action& action);
void AddSimulateCommand(CLI::App& root, Action& action);
void AddSweepCommand(CLI::App& root, Action& action);
void AddCrunchCommand(CLI::App& root, Action& action);
void AddAppcacheCommand(CLI::App& root, Action& action);
void AddCostCommand(CLI::App& root, Action& action);
void AddReportCommand(CLI::App& root, Action& action);

}  // namespace mr::app
