// Drives "mrbench data" as a user would.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "lab/data/set.h"
#include "os/process.h"
#include "os/text_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace mr {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

os::ProcessResult Data(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {MRBENCH_BINARY, "data"});
  return test::RunProgram(std::move(arguments));
}

std::string PathIn(const test::TempDir& directory, const std::string& name) {
  return directory.path() / name;
}

std::vector<std::string> Names(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// The first number that a tool prints.
std::uint64_t Count(const std::vector<std::string>& command) {
  const os::ProcessResult result = test::RunProgram(command);
  EXPECT_EQ(result.error.text, "");
  return std::stoull(result.output.text);
}

TEST(DataCommand, PlantsAsManyLinesAsGrepCounts) {
  const test::TempDir directory;
  for (const std::string kind :
       {"log", "source", "prose", "cyrillic", "words", "random", "oneline", "sparse"}) {
    const std::vector<std::string> counts = kind == "oneline"
                                                ? std::vector<std::string>{"0", "1"}
                                                : std::vector<std::string>{"0", "1", "7", "300"};
    for (const std::string& count : counts) {
      const std::string path = PathIn(directory, kind + "-" + count);
      const os::ProcessResult made =
          Data({"--kind", kind, "--size", "700001", "--seed", "5", "--needles", count, "-o", path});
      ASSERT_EQ(made.exit_code, 0) << made.error.text;
      EXPECT_EQ(std::filesystem::file_size(path), 700001U);
      EXPECT_EQ(Count({"grep", "-c", "dfhfhdsfhjdsfl", path}), std::stoull(count)) << kind;
      EXPECT_EQ(Count({MRGREP_BINARY, "-c", "dfhfhdsfhjdsfl", path}), std::stoull(count)) << kind;
      if (kind != "random" && kind != "sparse") {
        EXPECT_EQ(Count({"grep", "-cw", "dfhfhdsfhjdsfl", path}), std::stoull(count))
            << kind << ": the needle is a word of its own";
      }
      EXPECT_EQ(lab::ReadSidecar(path)->spec.needles, std::stoull(count));
    }
  }
}

TEST(DataCommand, TellsWhatItMadeAndThatItIsThereAlready) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "data");
  const std::vector<std::string> arguments = {"-k",        "log", "-s", "100K",
                                              "--needles", "3",   "-o", path};
  const os::ProcessResult first = Data(arguments);
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.output.text, HasSubstr("102400 bytes of log data, seed 1, "));
  EXPECT_THAT(first.output.text, HasSubstr("3 of them with 'dfhfhdsfhjdsfl', XXH128 "));
  EXPECT_THAT(first.output.text, HasSubstr("MB/s"));
  EXPECT_EQ(first.error.text, "") << "no progress but on a terminal";
  const os::ProcessResult second = Data(arguments);
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.output.text, HasSubstr("already complete, nothing to do"));
  EXPECT_THAT(second.output.text, Not(HasSubstr("MB/s")));
}

TEST(DataCommand, TakesASpecFileAndWhatTheCommandLineAdds) {
  const test::TempDir directory;
  const std::string spec = directory.Write(
      "s.json", R"({"kind": "prose", "size": "1.5x", "seed": 9, "needle": "ω-ω", "needles": 2})");
  const std::string path = PathIn(directory, "data");
  const os::ProcessResult made = Data({spec, "--memory", "100K", "--needles", "4", "-o", path});
  ASSERT_EQ(made.exit_code, 0) << made.error.text;
  const lab::DataSpec expected = {.kind = lab::DataKind::kProse,
                                  .size_bytes = 153600,
                                  .seed = 9,
                                  .needle = "ω-ω",
                                  .needles = 4};
  EXPECT_EQ(lab::ReadSidecar(path)->spec, expected);
}

TEST(DataCommand, VerifiesAndFindsAFlippedByte) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "data");
  ASSERT_EQ(Data({"-k", "source", "-s", "300K", "-o", path}).exit_code, 0);
  const os::ProcessResult good = Data({"--verify", path});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.output.text, path + ": verified\n");

  std::string text = os::ReadText(path).value();
  text[200000] = static_cast<char>(text[200000] ^ 4);
  directory.Write("data", text);
  const os::ProcessResult bad = Data({"--verify", path});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.error.text, HasSubstr("mrbench: " + path + ": XXH128 checksum "));

  EXPECT_EQ(Data({"--verify", path + "x"}).exit_code, 2);
}

TEST(DataCommand, ExplainsWhatIsWrongWithTheCommandLine) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "data");
  const std::string spec = directory.Write("bad.json", R"({"kind": "log", "sise": "1M"})");
  const struct {
    std::vector<std::string> arguments;
    std::string complaint;
  } cases[] = {
      {{}, "either --output or --verify is needed"},
      {{"-k", "log", "-s", "1M"}, "either --output or --verify is needed"},
      {{"-o", path}, "a SPEC file, or --kind and --size, are needed"},
      {{"-k", "log", "-o", path}, "a SPEC file, or --kind and --size, are needed"},
      {{"-k", "poetry", "-s", "1M", "-o", path}, "--kind 'poetry': not a known kind of data"},
      {{"-k", "log", "-s", "1Q", "-o", path}, "bad size '1Q'"},
      {{"-k", "log", "-s", "0", "-o", path}, "no bytes at all"},
      {{"-k", "log", "-s", "2x", "--memory", "lots", "-o", path}, "--memory 'lots': not a size"},
      {{"-k", "log", "-s", "1M", "--needle", "", "-o", path}, "--needle: an empty value"},
      {{"-k", "log", "-s", "1M", "--needle", "a\nb", "-o", path}, "the needle holds a newline"},
      {{"-k", "log", "-s", "1M", "--needles=-1", "-o", path},
       "--needles: '-1' is not a whole number"},
      {{"-k", "log", "-s", "1M", "--needle", "GET", "-o", path}, "occurs in this log data"},
      {{"-k", "oneline", "-s", "1M", "--needles", "2", "-o", path}, "room for one"},
      {{"-k", "log", "-s", "1M", "--needles", "1000000", "-o", path}, "1000000 needles are wanted"},
      {{spec, "-o", path}, spec + ": unknown member \"sise\""},
      {{spec + "x", "-o", path}, spec + "x: No such file or directory"},
      {{"-k", "log", "-s", "1M", "-o", path + "/x"}, "No such file or directory"},
      {{"-k", "log", "-s", "1M", "-o", "/dev/null"}, "exists and is not a regular file"},
      {{"-k", "log", "-s", "4096T", "-o", path}, "not enough room: 4.1P needed, "},
  };
  for (const auto& test : cases) {
    const os::ProcessResult result = Data(test.arguments);
    EXPECT_EQ(result.exit_code, 2) << test.complaint;
    EXPECT_THAT(result.error.text, HasSubstr("mrbench: "));
    EXPECT_THAT(result.error.text, HasSubstr(test.complaint));
    EXPECT_EQ(result.output.text, "");
  }
  EXPECT_THAT(Names(directory.path()), UnorderedElementsAre("bad.json"));
}

TEST(DataCommand, SaysWhenNobodyCanReadWhatItTells) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "data");
  os::Command command;
  command.arguments = {MRBENCH_BINARY, "data", "-k", "log", "-s", "1K", "-o", path};
  command.output = os::Stream::File("/dev/full");
  command.error = os::Stream::Capture();
  const os::ProcessResult result = os::Run(command);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.error.text, "mrbench: standard output: No space left on device\n");
}

TEST(DataCommand, NamesADirectoryThatCannotBeWritten) {
  const std::string path = "/proc/data";
  const os::ProcessResult result = Data({"-k", "log", "-s", "1M", "-o", path});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error.text, HasSubstr("mrbench: /proc/data: "));
}

TEST(DataCommand, RefusesASmallFileSystemBeforeItWrites) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "data");
  if (::mount("none", directory.path().c_str(), "tmpfs", 0, "size=8m") != 0) {
    std::cout << "no small file system to be had: mount(2) of a tmpfs: " << std::strerror(errno)
              << "; the refusal of 4096T is tested instead\n";
    const os::ProcessResult result = Data({"-k", "log", "-s", "4096T", "-o", path});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error.text, HasSubstr("not enough room"));
    return;
  }
  const os::ProcessResult large = Data({"-k", "log", "-s", "9M", "-o", path});
  const std::vector<std::string> left = Names(directory.path());
  const os::ProcessResult small = Data({"-k", "log", "-s", "5M", "--needles", "2", "-o", path});
  const os::ProcessResult holes = Data({"-k", "sparse", "-s", "60M", "-o", path + "-sparse"});
  const os::ProcessResult verified = Data({"--verify", path + "-sparse"});
  ::umount2(directory.path().c_str(), MNT_DETACH);
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.error.text, HasSubstr("not enough room: 10.1M needed, 8.0M free"));
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(small.exit_code, 0) << small.error.text;
  EXPECT_EQ(holes.exit_code, 0) << "holes need no room: " << holes.error.text;
  EXPECT_EQ(verified.exit_code, 0) << verified.error.text;
}

// Starts a run that would take a while, and ends it by `signal` once it has written something.
os::ProcessResult RunAndSignal(const std::string& path, const std::string& signal) {
  os::Command command = os::ShellCommand(
      "\"$M\" data -k log -s 3G --needles 5 -o \"$P\" & pid=$!\n"
      "until [ -s \"$P.partial\" ]; do sleep 0.01; done\n"
      "kill -" +
      signal + " $pid; wait $pid");
  command.environment = {{"M", MRBENCH_BINARY}, {"P", path}};
  return test::RunCaptured(std::move(command));
}

TEST(DataCommand, LeavesNoFileThatLooksCompleteWhenKilled) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "data");
  EXPECT_EQ(RunAndSignal(path, "KILL").exit_code, 128 + SIGKILL);
  EXPECT_THAT(Names(directory.path()), UnorderedElementsAre("data.partial", "data.json.partial"));
  EXPECT_FALSE(lab::ReadSidecar(path).has_value());

  const os::ProcessResult again = Data({"-k", "log", "-s", "1M", "--needles", "5", "-o", path});
  EXPECT_EQ(again.exit_code, 0) << again.error.text;
  EXPECT_EQ(Data({"--verify", path}).exit_code, 0);
  EXPECT_THAT(Names(directory.path()), UnorderedElementsAre("data", "data.json"));
}

TEST(DataCommand, CleansUpWhenItIsInterrupted) {
  const test::TempDir directory;
  EXPECT_EQ(RunAndSignal(PathIn(directory, "data"), "TERM").exit_code, 128 + SIGTERM);
  EXPECT_THAT(Names(directory.path()), ::testing::IsEmpty());
}

TEST(DataCommand, ShowsProgressOnATerminalOnly) {
  const test::TempDir directory;
  os::Command command = os::ShellCommand(
      "script -qec \"'$M' data -k log -s 40M -o '$P'\" /dev/null; \"$M\" data --verify \"$P\"");
  command.environment = {{"M", MRBENCH_BINARY}, {"P", PathIn(directory, "data")}};
  const os::ProcessResult result = test::RunCaptured(std::move(command));
  EXPECT_THAT(result.output.text, HasSubstr("\r\x1b[Kgenerating 0 %"));
  EXPECT_THAT(result.output.text, HasSubstr("syncing"));
  EXPECT_THAT(result.output.text, HasSubstr("data: verified\n"));
  EXPECT_EQ(result.error.text, "");
}

}  // namespace
}  // namespace mr
