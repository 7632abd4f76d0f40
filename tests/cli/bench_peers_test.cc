// What scripts/bench-peers makes of searches that are too small to be measured: the figures mean
// nothing, but which programs and verdicts are shown does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "os/text_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace mr {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BenchPeers : public ::testing::Test {
 protected:
  BenchPeers() {
    for (const char* name : {"tree/file", "source.c", "prose.txt", "access.log", "oneline.json",
                             "part.c", "cyrillic.txt", "small.c", "hundred/file", "words.1000",
                             "words.10000", "words.100000", "lines"}) {
      const fs::path path = directory_.path() / "corpora" / name;
      fs::create_directories(path.parent_path());
      std::ofstream(path) << "a line\nanother line\n";
    }
    // A second slower than any peer.
    const fs::path slow = directory_.path() / "slow";
    std::ofstream(slow) << "#!/bin/sh\nsleep 1\nexec '" MRGREP_BINARY "' \"$@\"\n";
    fs::permissions(slow, fs::perms::owner_all);
  }

  // The table that is written.
  std::string Table(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {PROJECT_ROOT "/scripts/bench-peers",
                                          "--corpora",
                                          directory_.path() / "corpora",
                                          "--rounds",
                                          "1",
                                          "--out",
                                          directory_.path() / "out",
                                          "--mrbench",
                                          MRBENCH_BINARY};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const os::ProcessResult result = test::RunProgram(arguments);
    EXPECT_EQ(result.shell_status(), 0) << result.error.text;
    return os::ReadText(directory_.path() / "out/peers.md").value_or("");
  }

  test::TempDir directory_;
};

TEST_F(BenchPeers, TellByHowMuchATargetIsMissed) {
  const std::string table = Table({"--rows", "^start-up", "--mrgrep", directory_.path() / "slow"});
  EXPECT_THAT(table, AllOf(HasSubstr("| grep C | grep UTF-8 |"), HasSubstr("1.0, **missed by ")));
  EXPECT_THAT(table, HasSubstr("\nThe memory is read at "));
}

TEST_F(BenchPeers, ShowOnlyProgramsThatRan) {
  const std::string table =
      Table({"--rows", "whole lines", "--threads", "1", "--mrgrep", MRGREP_BINARY});
  EXPECT_THAT(table, HasSubstr("| mrgrep |"));
  EXPECT_THAT(table, Not(HasSubstr("| grep")));
  EXPECT_THAT(table, Not(HasSubstr("(grep")));
  EXPECT_THAT(table, Not(HasSubstr("> 15")));
  EXPECT_THAT(table, Not(HasSubstr("counts differ")));
}

}  // namespace
}  // namespace mr
