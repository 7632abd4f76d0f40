// What README.md and the manual pages tell a reader to type exists.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "documents/shell.h"

namespace {

namespace fs = std::filesystem;

std::string ReadFile(const std::string& name) {
  return documents::ReadFile(PROJECT_ROOT "/" + name);
}

// The lines of README.md's ```sh blocks, without comments, continuation lines joined.
std::vector<std::string> Commands(const std::string& markdown) {
  std::vector<std::string> commands;
  bool inside = false;
  std::string pending;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
    } else if (inside && line.ends_with('\\')) {
      pending += line.substr(0, line.size() - 1);
    } else if (inside) {
      line = pending + line;
      pending.clear();
      line.resize(std::min(line.size(), line.find(" #")));
      if (!line.empty() && line[0] != '#') commands.push_back(line);
    }
  }
  return commands;
}

std::set<std::string> LongOptions(const std::string& text) {
  static const std::regex kOption(R"((^|[\s,\[|(])(--[a-z][a-z-]*[a-z]))");
  std::set<std::string> options;
  for (std::sregex_iterator it(text.begin(), text.end(), kOption), end; it != end; ++it) {
    options.insert((*it)[2]);
  }
  return options;
}

std::string HelpOf(const std::string& command) {
  const auto result = documents::Shell(command + " --help 2>&1");
  EXPECT_EQ(result.status, 0) << command;
  return result.output;
}

// The help text that must know the options of `command`, a line of README.md; empty if it calls
// neither of the two programs.
std::string HelpFor(const std::string& command) {
  static const std::regex kProgram(R"((^|/|\s)(mrgrep|mrbench)\s+([a-z]+)?)");
  std::smatch match;
  if (!std::regex_search(command, match, kProgram)) return {};
  if (match[2] == "mrgrep") return HelpOf(MRGREP_BINARY);
  return HelpOf(std::string(MRBENCH_BINARY) + (match[3].matched ? " " + match[3].str() : ""));
}

TEST(Readme, ScriptsItNamesExistAndCanBeRun) {
  static const std::regex kScript(R"(\bscripts/[a-z-]+)");
  const std::string text = ReadFile("README.md");
  std::set<std::string> scripts;
  for (std::sregex_iterator it(text.begin(), text.end(), kScript), end; it != end; ++it) {
    scripts.insert(it->str());
  }
  EXPECT_TRUE(scripts.contains("scripts/demo"));
  EXPECT_TRUE(scripts.contains("scripts/test"));
  for (const auto& script : scripts) {
    EXPECT_EQ(access((std::string(PROJECT_ROOT "/") + script).c_str(), X_OK), 0) << script;
  }
}

TEST(Readme, NamesEveryScript) {
  const std::string text = ReadFile("README.md");
  for (const auto& entry : fs::directory_iterator(PROJECT_ROOT "/scripts")) {
    if (!entry.is_regular_file()) continue;
    const std::string name = "scripts/" + entry.path().filename().string();
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
}

TEST(Documents, HaveOneTitleEach) {
  for (const auto& entry : fs::recursive_directory_iterator(PROJECT_ROOT "/datasets")) {
    if (entry.path().filename() != "README.md") continue;
    const std::string text = "\n" + documents::ReadFile(entry.path());
    EXPECT_EQ(text.rfind("\n# "), text.find("\n# ")) << entry.path();
  }
}

TEST(Readme, OptionsInItsCommandsAreInTheHelp) {
  int checked = 0;
  for (const auto& command : Commands(ReadFile("README.md"))) {
    const std::string help = HelpFor(command);
    if (help.empty()) continue;
    const auto known = LongOptions(help);
    for (const auto& option : LongOptions(command)) {
      EXPECT_TRUE(known.contains(option)) << option << " in: " << command;
      ++checked;
    }
  }
  EXPECT_GT(checked, 5);
}

TEST(Readme, FilesItLinksToExist) {
  static const std::regex kLink(R"(\]\(([^)#:]+)\))");
  const std::string text = ReadFile("README.md");
  for (std::sregex_iterator it(text.begin(), text.end(), kLink), end; it != end; ++it) {
    EXPECT_TRUE(fs::exists(fs::path(PROJECT_ROOT) / (*it)[1].str())) << (*it)[1];
  }
}

// A manual page as a terminal shows it, without the overstriking, in lines too long to be broken.
std::string Rendered(const std::string& page) {
  std::string text =
      documents::Shell("mandoc -Tascii -O width=1000 '" PROJECT_ROOT "/" + page + "'").output;
  for (auto at = text.find('\b'); at != std::string::npos; at = text.find('\b')) {
    text.erase(at - 1, 2);
  }
  return text;
}

// The words that begin the lines under "Subcommands:".
std::vector<std::string> Subcommands(const std::string& help) {
  static const std::regex kRow(R"(\n  ([a-z]+) )");
  const std::string rows = help.substr(help.find("Subcommands:"));
  std::vector<std::string> names;
  for (std::sregex_iterator it(rows.begin(), rows.end(), kRow), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

TEST(ManualPages, EveryOptionOfMrgrepsHelpIsInItsManual) {
  const auto known = LongOptions(Rendered("man/mrgrep.1"));
  for (const auto& option : LongOptions(HelpOf(MRGREP_BINARY))) {
    EXPECT_TRUE(known.contains(option)) << option;
  }
}

TEST(ManualPages, EverySubcommandAndOptionOfMrbenchsHelpIsInItsManual) {
  const std::string page = Rendered("man/mrbench.1");
  const auto known = LongOptions(page);
  const auto subcommands = Subcommands(HelpOf(MRBENCH_BINARY));
  EXPECT_GE(subcommands.size(), 3U);
  for (const auto& subcommand : subcommands) {
    EXPECT_NE(page.find("mrbench " + subcommand), std::string::npos) << subcommand;
    for (const auto& option : LongOptions(HelpOf(MRBENCH_BINARY " " + subcommand))) {
      EXPECT_TRUE(known.contains(option) || option == "--help") << subcommand << " " << option;
    }
  }
}

}  // namespace
