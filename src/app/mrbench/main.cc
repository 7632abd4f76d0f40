// mrbench: the laboratory for sequence effects. One subcommand for each study.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "app/mrbench/commands.h"

namespace mr::app {
namespace {

constexpr int kTrouble = 2;

// Cuts the command to be timed off `arguments`, which begin with the subcommand's name: everything
// from the first word that is neither an option of the subcommand nor the value of one. A "--" in
// between is dropped. What stays is for CLI11 to judge.
std::vector<std::string> CutCommand(const CLI::App& subcommand,
                                    std::vector<std::string>& arguments) {
  const auto takes_value = [&subcommand](const std::string& option) {
    const CLI::Option* known = subcommand.get_option_no_throw(option);
    return known != nullptr && known->get_items_expected_max() > 0;
  };
  std::size_t at = 1;
  for (; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word.size() < 2 || word[0] != '-') break;
    if (word == "--") {
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
    if (word[1] == '-') {
      if (word.find('=') == std::string::npos && takes_value(word)) ++at;
      continue;
    }
    // A bundle: the first option in it that takes a value takes the rest, or the next word.
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (!takes_value(std::string{'-', word[i]})) continue;
      if (i + 1 == word.size()) ++at;
      break;
    }
  }
  const auto begin =
      arguments.begin() + static_cast<std::ptrdiff_t>(std::min(at, arguments.size()));
  std::vector<std::string> command(begin, arguments.end());
  arguments.erase(begin, arguments.end());
  return command;
}

int Complain(const std::string& what, const std::string& hint_for) {
  std::cerr << "mrbench: " << what << "\n";
  if (!hint_for.empty()) std::cerr << "Try '" << hint_for << " --help' for more information.\n";
  return kTrouble;
}

// The subcommand that was given, for the hint at its --help.
std::string ChosenCommand(const CLI::App& root) {
  const std::vector<CLI::App*> chosen = root.get_subcommands();
  return chosen.empty() ? "mrbench" : "mrbench " + chosen.front()->get_name();
}

// "--log \"$LOG\"" with an unset variable is a mistake, not a wish for the default.
[[noreturn]] void ComplainOfEmptyValue(const std::string& option) {
  throw UsageError(option + ": an empty value");
}

// CLI11 takes the argument behind "--log=" for its value.
void CheckNothingEndsInEquals(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    ComplainOfEmptyValue(argument.substr(0, argument.size() - 1));
  }
}

void CheckValues(const CLI::App& subcommand) {
  for (const CLI::Option* option : subcommand.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) ComplainOfEmptyValue(option->get_name());
    }
  }
}

int Run(std::vector<std::string> arguments) {
  CLI::App root("Measures what runs of a program do to the runs that follow them.", "mrbench");
  root.set_version_flag("-V,--version", "mrbench " MRGREP_VERSION);
  root.require_subcommand(1);
  Action action;
  std::vector<std::string> timed_command;
  AddTimeCommand(root, action, timed_command);
  AddDataCommand(root, action);
  AddPairsCommand(root, action);
  AddCompareCommand(root, action);
  AddSimulateCommand(root, action);
  AddSweepCommand(root, action);
  AddCrunchCommand(root, action);
  AddCostCommand(root, action);
  AddAppcacheCommand(root, action);
  AddReportCommand(root, action);

  try {
    const auto is_named = [&arguments](const CLI::App* subcommand) {
      return subcommand->get_name() == arguments[0];
    };
    if (!arguments.empty() && !arguments[0].starts_with('-') &&
        root.get_subcommands(is_named).empty()) {
      throw UsageError("there is no subcommand '" + arguments[0] + "'");
    }
    if (!arguments.empty() && arguments[0] == kTimeCommand) {
      timed_command = CutCommand(*root.get_subcommand(kTimeCommand), arguments);
    }
    CheckNothingEndsInEquals(arguments);
    if (!arguments.empty() && arguments[0].starts_with('-')) {
      // CLI11 would only say that a subcommand is missing.
      const CLI::Option* known = root.get_option_no_throw(arguments[0]);
      if (known == nullptr) throw UsageError("there is no option '" + arguments[0] + "'");
    }
    root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    for (const CLI::App* subcommand : root.get_subcommands()) CheckValues(*subcommand);
    return action();
  } catch (const CLI::Success& request) {  // --help and --version
    root.exit(request);
    std::cout.flush();
    return std::cout ? 0 : Complain("write error", "");
  } catch (const CLI::ParseError& error) {
    return Complain(error.what(), ChosenCommand(root));
  } catch (const UsageError& error) {
    return Complain(error.what(), ChosenCommand(root));
  } catch (const std::bad_alloc&) {
    return Complain("memory exhausted", "");
  } catch (const std::exception& error) {
    return Complain(error.what(), "");
  }
}

}  // namespace
}  // namespace mr::app

int main(int argc, char** argv) {
  return mr::app::Run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
