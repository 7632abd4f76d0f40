#include "support/grep_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "os/process.h"

namespace mr::test {
namespace {

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

void ExpectEqual(const std::string& script, ScriptResult gnu, ScriptResult ours,
                 GrepComparison::Order order) {
  if (order == GrepComparison::Order::kAnyLineOrder) {
    for (ScriptResult* result : {&gnu, &ours}) {
      result->output = InLineOrder(result->output);
      result->errors = InLineOrder(result->errors);
    }
  }
  EXPECT_EQ(ours.status, gnu.status) << script;
  EXPECT_EQ(ours.output, gnu.output) << script;
  EXPECT_EQ(ours.errors, gnu.errors) << script;
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
  for (const char* name : {"grep", "egrep", "fgrep", "rgrep"}) {
    std::filesystem::create_symlink(MRGREP_BINARY, links_.path() / name);
  }
}

ScriptResult GrepComparison::RunGnu(const std::string& script) const {
  return Run(script, PathVariable());
}

ScriptResult GrepComparison::RunOurs(const std::string& script) const {
  return Run(script, links_.path().string() + ":" + PathVariable());
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
  ExpectEqual(script, RunGnu(script), RunOurs(script), order);
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
  const std::vector<ScriptResult> ours = Split(RunOurs(all));
  ASSERT_EQ(gnu.size(), lines.size());
  ASSERT_EQ(ours.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) ExpectEqual(lines[i], gnu[i], ours[i], order);
}

}  // namespace mr::test
