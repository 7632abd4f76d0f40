// How much memory searches take, beside GNU grep: what it needs, and some blocks for each thread,
// however large the file and however many lines of it match.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/grep_comparison.h"

// Instrumented programs need more.
#if MRGREP_LONG_TESTS

namespace mr::test {
namespace {

constexpr long kThreads = 2;
// The largest block is a stripe of a mapping, 4 MiB. Each thread has one, and text of that size
// in two buffers.
constexpr long kBlocksPerThreadKib = 3 * 4096;
// Code that is linked in statically, tables of the engines, stacks; and the text of blocks that
// wait for an earlier one, 16 MiB.
constexpr long kProgramKib = (12 + 16) * 1024;

class Memory : public testing::Test {
 protected:
  // Expects the peak of `command`, whose output is thrown away by a pipe, to be within the bound.
  void ExpectBounded(const std::string& arguments) const {
    const std::string timed =
        "/usr/bin/time -q -o peak -f %M grep " + arguments + " | cat >/dev/null; cat peak";
    const long theirs = std::stol(grep.RunGnu(timed).output);
    const std::string ours_text =
        grep.RunOurs("/usr/bin/time -q -o peak -f %M grep -j" + std::to_string(kThreads) + " " +
                     arguments + " | cat >/dev/null; cat peak")
            .output;
    const long ours = std::stol(ours_text);
    EXPECT_LE(ours, theirs + kThreads * kBlocksPerThreadKib + kProgramKib)
        << arguments << ": GNU grep " << theirs << " KiB";
  }

  GrepComparison grep;
};

TEST_F(Memory, OfAGigabyteDoesNotGrowWithTheFileOrTheMatches) {
  std::string lines;
  for (int i = 0; lines.size() < (std::size_t{1} << 20); ++i) {
    lines += i % 3 == 0 ? "every third line holds the needle\n" : "and these do not, by chance\n";
  }
  std::ofstream file(grep.files().path() / "large", std::ios::binary);
  for (int i = 0; i < 1024; ++i) {
    file.write(lines.data(), static_cast<std::streamsize>(lines.size()));
  }
  file.close();
  ASSERT_TRUE(file);
  for (const char* arguments :
       {"-n needle large", "-n -C2 needle large", "-v needle large", "-o needle large"}) {
    ExpectBounded(arguments);
  }
  // The modes that only mrgrep has.
  for (const char* mode : {"--mmap", "--read", "--io=direct", "--io=uring", "--cache=keep"}) {
    const std::string peak =
        grep.RunOurs(std::string("/usr/bin/time -q -o peak -f %M grep -j2 -n ") + mode +
                     " needle large | cat >/dev/null; cat peak")
            .output;
    EXPECT_LE(std::stol(peak), kThreads * kBlocksPerThreadKib + kProgramKib) << mode;
  }
}

// A line that is not to be printed is not to be held either; GNU grep holds it.
TEST_F(Memory, OfALineOfAGigabyteDoesNotGrowWithTheLine) {
  const std::string line = "yes haystack | head -c 1G | tr '\\n' ' ' ";
  grep.RunOurs(line + "> line");
  const auto expect_bounded = [&](const std::string& command) {
    const std::string ours =
        grep.RunOurs(command + " | cat >/dev/null; tail -n1 peak").output;  // behind "exited with"
    EXPECT_LE(std::stol(ours), kThreads * kBlocksPerThreadKib + kProgramKib) << command;
  };
  const std::string timed = "/usr/bin/time -q -o peak -f %M grep -j2 ";
  for (const char* search :
       {"-c haystack", "-q needle", "-vc needle", "-lE 'y.*nee+dle$'", "-wc haystack"}) {
    expect_bounded(line + "| " + timed + search);
    expect_bounded(timed + "--read " + search + " line");
  }
  for (const char* mode : {"--read", "--io=direct", "--io=uring", "--cache=keep"}) {
    expect_bounded(timed + mode + " -n needle line");
    expect_bounded(timed + mode + " -c haystack line");
  }
  // Where there is not so much memory it still is, unless the line has to be printed.
  const std::string limited = "ulimit -v 500000; ";
  EXPECT_EQ(grep.RunOurs(limited + "grep -j2 -c haystack line").output, "1\n");
  const test::ScriptResult refused = grep.RunOurs(limited + line + "| grep -j2 haystack");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors, "grep: (standard input): memory exhausted by a long line\n");
}

// The text of a block may be a hundred times its size.
TEST_F(Memory, OfManyShortMatchesDoesNotGrowWithTheirPrefixes) {
  const std::string name(200, 'n');
  std::ofstream(grep.files().path() / name, std::ios::binary) << std::string(4 << 20, 'a');
  std::ofstream lines(grep.files().path() / ("l" + name), std::ios::binary);
  for (int i = 0; i < (2 << 20); ++i) lines << "a\n";
  lines.close();
  for (const std::string& arguments : {"-obH a " + name, "-nH a l" + name, "-nH -C1 a l" + name,
                                       "--color=always -o a " + name, "--color=always a " + name}) {
    ExpectBounded(arguments);
  }
  ExpectBounded("-oH a l" + name);
}

TEST_F(Memory, OfARecursiveSearchDoesNotGrowWithTheNumberOfFiles) {
  for (int directory = 0; directory < 80; ++directory) {
    const std::filesystem::path path = grep.files().path() / "tree" / std::to_string(directory);
    std::filesystem::create_directories(path);
    for (int i = 0; i < 1000; ++i) {
      std::ofstream(path / ("file" + std::to_string(i))) << "needle " << i << "\n";
    }
  }
  ExpectBounded("-rn needle tree");
  ExpectBounded("-rl absent tree");
}

}  // namespace
}  // namespace mr::test

#endif
