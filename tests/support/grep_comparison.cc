#include "support/grep_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>
#include <vector>

#include "os/process.h"
#include "support/refusals.h"

namespace mr::test {
namespace {

constexpr const char* kNames[] = {"grep", "egrep", "fgrep", "rgrep"};

std::string PathVariable() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/bin:/bin";
}

std::string InLineOrder(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += line + '\n';
  return sorted;
}

// Every mode, policy, number of threads and, from a few bytes to more than any file of the tests
// has, block size. Builds without the long tests, which are slow themselves, take the first three.
constexpr std::array<const char*, 8> kAllWays = {
    "",
    "--io=mmap:window=4K,populate -j3",
    "--io=uring:buffer=100,depth=3 -j3",
    "--io=read:buffer=61 -j3",
    "--io=mmap -j2",
    "--io=direct:buffer=4K -j1",
    "--cache=keep -j2",
    "--io=uring:buffer=4K --cache=drop -j1",
};
constexpr auto kWays = std::span(kAllWays).first < MRGREP_LONG_TESTS ? kAllWays.size() : 3 > ();

// With functions in the place of commands it is the shell that is given a script's LC_ALL, and in
// any case what the script exports; the line that it names is another in each way.
std::string WithoutShellWarnings(const std::string& errors) {
  std::istringstream stream(errors);
  std::string rest;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(": warning: setlocale: LC_") == std::string::npos) rest += line + '\n';
  }
  return rest;
}

void ExpectEqual(const std::string& script, ScriptResult gnu, ScriptResult ours,
                 GrepComparison::Order order, const std::string& way) {
  // What it says may have gone to either.
  if (!way.empty() && (SaysRefusal(ours.errors) || SaysRefusal(ours.output))) return;
  gnu.errors = WithoutShellWarnings(gnu.errors);
  ours.errors = WithoutShellWarnings(ours.errors);
  if (order == GrepComparison::Order::kAnyLineOrder) {
    for (ScriptResult* result : {&gnu, &ours}) {
      result->output = InLineOrder(result->output);
      result->errors = InLineOrder(result->errors);
    }
  }
  EXPECT_EQ(ours.status, gnu.status) << script << "   with " << way;
  EXPECT_EQ(ours.output, gnu.output) << script << "   with " << way;
  EXPECT_EQ(ours.errors, gnu.errors) << script << "   with " << way;
}

// Makes the shell give `options` to each grep. They come first, so the script's own prevail.
std::string WithOptions(const std::string& script, const std::string& options) {
  std::string functions;
  for (const char* name : kNames) {
    functions += std::string(name) + "() { command " + name + " " + options + " \"$@\"; }\n";
  }
  return options.empty() ? script : functions + script;
}

// Stands around each status in the output, and twice behind each script's messages.
constexpr char kMark[] = "\x01\x02";

// The text in front of the next mark, which is taken off `text` with it.
std::string TakeToMark(std::string_view& text) {
  const std::size_t mark = std::min(text.find(kMark), text.size());
  std::string taken(text.substr(0, mark));
  text.remove_prefix(std::min(text.size(), mark + std::string_view(kMark).size()));
  return taken;
}

std::vector<ScriptResult> Split(const ScriptResult& joined) {
  std::vector<ScriptResult> results;
  std::string_view output = joined.output;
  std::string_view errors = joined.errors;
  while (output.find(kMark) != std::string_view::npos) {
    ScriptResult& result = results.emplace_back();
    result.output = TakeToMark(output);
    result.status = std::stoi(TakeToMark(output));
    result.errors = TakeToMark(errors);
    TakeToMark(errors);
  }
  return results;
}

}  // namespace

GrepComparison::GrepComparison() {
  for (const char* name : kNames) {
    std::filesystem::create_symlink(MRGREP_BINARY, links_.path() / name);
  }
}

ScriptResult GrepComparison::RunGnu(const std::string& script) const {
  return Run(script, PathVariable());
}

ScriptResult GrepComparison::RunOurs(const std::string& script, const std::string& options) const {
  return Run(WithOptions(script, options), links_.path().string() + ":" + PathVariable());
}

ScriptResult GrepComparison::Run(const std::string& script, const std::string& path) const {
  os::Command command;
  command.arguments = {"bash", "-c", script};
  command.environment = {{"PATH", path},
                         {"LC_ALL", "C.UTF-8"},
                         {"GREP_COLOR", std::nullopt},
                         {"GREP_COLORS", std::nullopt},
                         {"POSIXLY_CORRECT", std::nullopt}};
  command.directory = files_.path();
  command.input = os::Stream::Null();
  command.output = os::Stream::Capture();
  command.error = os::Stream::Capture();
  command.timeout = std::chrono::seconds(60);
  const os::ProcessResult result = os::Run(command);
  if (result.timed_out) ADD_FAILURE() << "no end in a minute: " << script;
  return {result.shell_status(), result.output.text, result.error.text};
}

void GrepComparison::ExpectSame(const std::string& script, Order order) const {
  const ScriptResult gnu = RunGnu(script);
  for (const char* way : kWays) ExpectEqual(script, gnu, RunOurs(script, way), order, way);
}

// One shell for all the scripts: most of the time would go into starting shells otherwise.
void GrepComparison::ExpectSameForEach(std::string_view scripts, Order order) const {
  std::istringstream stream{std::string(scripts)};
  std::vector<std::string> lines;
  std::string all;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    all += "(" + line + "\n)\nprintf '" + kMark + "%d" + kMark + "' $?\nprintf '" + kMark + kMark +
           "' >&2\n";
    lines.push_back(line);
  }
  const std::vector<ScriptResult> gnu = Split(RunGnu(all));
  ASSERT_EQ(gnu.size(), lines.size());
  for (const char* way : kWays) {
    const std::vector<ScriptResult> ours = Split(RunOurs(all, way));
    ASSERT_EQ(ours.size(), lines.size()) << way;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ExpectEqual(lines[i], gnu[i], ours[i], order, way);
    }
  }
}

}  // namespace mr::test
