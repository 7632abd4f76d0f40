// The logs in datasets/runs stay readable: what was published can be looked into for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "lab/log/log_file.h"
#include "os/process.h"

namespace mr {
namespace {

using ::testing::AnyOf;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(KeptRuns, StillGiveTheirReports) {
  int logs = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PROJECT_ROOT "/datasets/runs")) {
    if (entry.path().extension() != ".jsonl") continue;
    SCOPED_TRACE(entry.path());
    const std::string kind = lab::ReadLogFile(entry.path()).kind();
    os::Command command;
    command.arguments = {MRBENCH_BINARY, kind, "--from", entry.path()};
    command.output = os::Stream::Capture();
    command.error = os::Stream::Capture();
    const os::ProcessResult result = os::Run(command);
    // 1: with trials that do not count, which are shown.
    EXPECT_THAT(result.shell_status(), AnyOf(0, 1)) << result.error.text;
    EXPECT_THAT(result.output.text, Not(IsEmpty()));
    ++logs;
  }
  EXPECT_GT(logs, 0);
}

}  // namespace
}  // namespace mr
