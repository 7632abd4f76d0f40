// What tests of "mrbench pairs" share: small data with needles, and runs of the program over it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/log/log.h"
#include "lab/plan/schedule.h"
#include "os/maker.h"
#include "os/page_cache.h"
#include "os/process.h"
#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr {

inline constexpr int kNeedles = 3;

inline std::string DataWithNeedles(std::size_t lines) {
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) {
    text += "a line of hay, number " + std::to_string(line);
    if (line % (lines / kNeedles) == 1) text += " with a needle";
    text += "\n";
  }
  return text;
}

class Pairs : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = directory_.Write("data.txt", DataWithNeedles(6000));
    log_ = directory_.path() / "log.jsonl";
    evictable_ = os::Evict(data_).verified_empty();
    if (!evictable_) {
      std::cout << "missing here: a file system whose files can be evicted and seen by cachestat\n";
    }
  }

  static os::ProcessResult Run(std::vector<std::string> arguments,
                               std::vector<std::string> wrapper = {}) {
    os::Command command;
    command.arguments = std::move(wrapper);
    command.arguments.insert(command.arguments.end(), {MRBENCH_BINARY, "pairs"});
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.input = os::Stream::Null();
    command.output = os::Stream::Capture();
    command.error = os::Stream::Capture();
    return os::Run(command);
  }

  // A wrapper that kills what it runs as soon as a shell's condition holds, however long that takes
  // on a busy machine. What ends before keeps its status.
  static std::vector<std::string> KilledWhen(const std::string& condition) {
    return {"bash", "-c",
            "\"$@\" & child=$!; until " + condition +
                " || ! kill -0 $child 2>/dev/null; do sleep 0.02; done; "
                "kill -KILL $child 2>/dev/null; wait $child",
            "bash"};
  }

  // The usual experiment with more options: two greps over the data.
  os::ProcessResult RunGreps(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"--arm", "grep=grep {pattern} {file}",
                                          "--arm", "fixed=grep -F -e {pattern} '{file}'",
                                          "-e",    "needle",
                                          "--log", log_,
                                          data_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }

  // What these tests say about a good run holds only where one is possible.
  bool GoodRunIsPossible(const os::ProcessResult& result) const {
    if (evictable_) return true;
    EXPECT_THAT(result.shell_status(), ::testing::AnyOf(1, 2));
    EXPECT_THAT(result.error.text, ::testing::AnyOf(::testing::HasSubstr("not prepared"),
                                                    ::testing::HasSubstr("cannot see")));
    return false;
  }

  // A killed process may stay a zombie for a while when its parent was killed, too.
  static bool IsDead(const std::string& pid) {
    const std::optional<std::string> stat = os::ReadText("/proc/" + pid + "/stat");
    return !stat || stat->find(") Z ") != std::string::npos;
  }

  // Groups of mrbench processes that are gone: "mrbench-MARK-N".
  static std::vector<std::filesystem::path> StaleGroups() {
    std::vector<std::filesystem::path> groups;
    std::error_code error;
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/blkio"}) {
      for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
        const std::string name = entry.path().filename();
        const std::string prefix = "mrbench-";
        if (!name.starts_with(prefix)) continue;
        const std::size_t end = name.rfind('-');
        if (os::IsMarkOfTheDead(name.substr(prefix.size(), end - prefix.size()))) {
          groups.push_back(entry.path());
        }
      }
    }
    return groups;
  }

  // Of what counts in a log, in its order: what the schedule says, whatever happened in between.
  static void ExpectScheduled(const lab::LogContents& log) {
    const std::vector<lab::Trial> schedule = lab::MakeSchedule(log.header.plan);
    std::map<int, lab::Trial> ran;
    for (const lab::Observation& row : log.observations) ran[row.trial.index] = row.trial;
    ASSERT_EQ(ran.size(), schedule.size());
    for (const lab::Trial& trial : schedule) EXPECT_EQ(ran.at(trial.index), trial);
  }

  test::TempDir directory_;
  std::string data_;
  std::string log_;
  bool evictable_ = false;
};

}  // namespace mr
