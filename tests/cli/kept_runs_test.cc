// The logs in datasets/runs stay readable, and say what the reports beside them say: what was
// published can be looked into for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "lab/log/log_file.h"
#include "os/text_file.h"
#include "support/run_program.h"

namespace mr {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(KeptRuns, StillGiveTheirReports) {
  int logs = 0;
  int reports = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PROJECT_ROOT "/datasets/runs")) {
    if (entry.path().extension() != ".jsonl") continue;
    SCOPED_TRACE(entry.path());
    const std::string kind = lab::ReadLogFile(entry.path()).kind();
    // report.* beside log.jsonl, NAME.* beside NAME.jsonl.
    const bool only = entry.path().stem() == "log";
    const fs::path base = only ? entry.path().parent_path() / "report" : entry.path();
    const bool has_markdown = fs::exists(fs::path(base).replace_extension(".md"));
    const os::ProcessResult result =
        test::RunProgram({MRBENCH_BINARY, kind, "--from", entry.path(), "--format",
                          has_markdown ? "markdown" : "text"});
    // 1: with trials that do not count, which are shown.
    EXPECT_THAT(result.shell_status(), AnyOf(0, 1)) << result.error.text;
    EXPECT_THAT(result.output.text, Not(IsEmpty()));
    ++logs;
    const fs::path report = fs::path(base).replace_extension(has_markdown ? ".md" : ".txt");
    if (!fs::exists(report)) continue;
    EXPECT_EQ(result.output.text, os::ReadText(report)) << "differs from " << report;
    ++reports;
  }
  EXPECT_GT(logs, 0);
  EXPECT_GT(reports, 0);
}

}  // namespace
}  // namespace mr
