// How mrgrep reads shows in nothing but time and memory: holes, pipes, and what it says about it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "os/process.h"
#include "support/grep_comparison.h"

namespace mr::test {
namespace {

using ::testing::HasSubstr;

class GrepReading : public ::testing::Test {
 protected:
  GrepComparison grep;
};

TEST_F(GrepReading, SparseFilesAreSearchedAsGnuGrepDoes) {
  // 10 GiB with two lines, 1 GiB without any, and NULs that are on the disk.
  grep.RunOurs(R"sh(
printf 'needle one\n' > sparse; truncate -s 5G sparse; printf 'needle two\n' >> sparse
truncate -s 10G sparse; truncate -s 1G hole; head -c 3M /dev/zero > zeros; echo end >> zeros
printf 'x\0\ntwo\n' > behind
head -c 200K /dev/zero | tr '\0' '\n' > lines; truncate -s 1G lines; echo needle >> lines)sh");
  grep.ExpectSameForEach(R"sh(
grep needle sparse
grep -c needle sparse
grep -c one sparse hole
grep -l two sparse hole
grep -L two sparse hole
grep -q two sparse
grep -l two behind
grep nothing sparse hole
grep -n two sparse
grep -b -o needle lines
grep needle lines
grep -C1 needle sparse
grep -m1 two sparse
grep -I needle sparse
grep -ic TWO sparse
grep -c end zeros
grep -zc end zeros
grep -zc needle sparse
grep -zo one sparse
grep -vc '' hole
grep -vc '^$' zeros
grep -c 'x*' zeros
)sh");
}

TEST_F(GrepReading, NothingButNulsTakesNoMemoryToSpeakOf) {
  grep.RunOurs("truncate -s 10G hole; head -c 100M /dev/zero > zeros");
  for (const char* mode : {"auto", "read", "mmap", "uring", "direct"}) {
    for (const char* file : {"hole", "zeros"}) {
      SCOPED_TRACE(std::string(mode) + " " + file);
      os::Command command;
      command.arguments = {MRGREP_BINARY, std::string("--io=") + mode, "-j2", "needle", file};
      command.directory = grep.files().path();
      command.output = os::Stream::Capture();
      command.error = os::Stream::Capture();
      const os::ProcessResult result = os::Run(command);
      if (result.error.text.find("no direct IO") != std::string::npos) continue;
      EXPECT_EQ(result.error.text, "");
      EXPECT_EQ(result.exit_code, 1);
      // Pages of the file that are mapped count, too.
      const bool maps = std::string(mode) == "mmap" || std::string(mode) == "auto";
      const bool all_mapped = maps && std::string(file) == "zeros";
      EXPECT_LT(result.usage.max_rss_kib, all_mapped ? 180 << 10 : 64 << 10);
    }
  }
}

// Which lines of a pipe are text is decided by 96 KiB of it, however they arrive.
TEST_F(GrepReading, WhatIsPrintedOfAPipeDoesNotDependOnItsWriter) {
  const ScriptResult at_once = grep.RunOurs(R"(printf 'a1\nx\0y\na2\n' | grep a)");
  EXPECT_EQ(at_once, (ScriptResult{0, "", "grep: (standard input): binary file matches\n"}));
  EXPECT_EQ(grep.RunOurs(R"((echo a1; sleep 0.2; printf 'x\0y\na2\n') | grep a)"), at_once);
  const std::string late = R"((yes a | head -c 98302; printf 'b\nc\0'; echo a) )";
  const ScriptResult first_window = grep.RunOurs(late + "| grep -c a");
  EXPECT_EQ(first_window.output, "49152\n");
  const ScriptResult lines = grep.RunOurs(late + "| grep -n a | tail -n1");
  EXPECT_EQ(lines.output, "49151:a\n");
  EXPECT_EQ(grep.RunOurs(late + "> f; grep -n a f | tail -n1").output, lines.output);
}

// Whoever asks for lines at once, or for the first ones only, does not wait for a window of them.
TEST_F(GrepReading, LinesOfAPipeComeAtOnceWhereThatIsWanted) {
  // The writer goes on only when a first line has come out.
  for (const std::string& options :
       std::vector<std::string>{"--line-buffered a", "-m1 a", "--line-buffered -n a", "-q a"}) {
    const std::string script = "rm -f seen; mkfifo seen; { echo a1; cat seen; } | { { grep " +
                               options +
                               "; echo status $?; } | { read -r line; echo \"got ${line##*:}\"; "
                               "echo > seen; cat >&2; }; }";
    EXPECT_EQ(grep.RunOurs(script).output, options == "-q a" ? "got status 0\n" : "got a1\n")
        << options;
  }
}

TEST_F(GrepReading, StatsTellThePolicyThatServedTheBytes) {
  grep.files().Write("f", "a\nb\n");
  for (const std::string policy : {"normal", "keep", "drop"}) {
    const auto stats =
        nlohmann::json::parse(grep.RunOurs("grep --stats=json --cache=" + policy + " a f").errors);
    EXPECT_EQ(stats["bytes_by_policy"], nlohmann::json({{policy, 4}}));
  }
  EXPECT_THAT(grep.RunOurs("grep --stats --cache=keep a f").errors,
              HasSubstr("4  bytes with cache policy keep\n"));
}

TEST_F(GrepReading, OneEndOfInputOnATerminalIsEnough) {
  int terminal = -1;
  int program_end = -1;
  ASSERT_EQ(::openpty(&terminal, &program_end, nullptr, nullptr, nullptr), 0);
  const std::string typed = "one\ntwo\n\x04";  // Ctrl-D
  ASSERT_EQ(::write(terminal, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
  os::Command command;
  command.arguments = {MRGREP_BINARY, "-n", "two"};
  command.input = os::Stream::File("/proc/self/fd/" + std::to_string(program_end));
  command.output = os::Stream::Capture();
  command.timeout = std::chrono::seconds(20);
  const os::ProcessResult result = os::Run(command);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output.text, "2:two\n");
  ::close(program_end);
  ::close(terminal);
}

TEST_F(GrepReading, DebugTellsHowEachFileIsRead) {
  grep.files().Write("f", "a\nb\n");
  const ScriptResult result = grep.RunOurs("cat f | grep --debug a f -");
  EXPECT_THAT(result.errors, HasSubstr("grep: f: read: smaller than 1 MiB\n"));
  EXPECT_THAT(result.errors,
              HasSubstr("grep: (standard input): read: not a regular file with a size\n"));
}

TEST_F(GrepReading, MappingsAreNotCombinedWithPoliciesThatTheyCannotKeep) {
  for (const char* options : {"--mmap --cache=keep", "--cache=drop --io=mmap:populate"}) {
    EXPECT_EQ(grep.RunOurs("grep " + std::string(options) + " a f"),
              (ScriptResult{2, "",
                            "grep: mappings cannot spare the page cache: --cache needs another IO "
                            "mode\n"}));
  }
}

}  // namespace
}  // namespace mr::test
