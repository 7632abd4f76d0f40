// Drives "mrbench time" as a user would.
#include "app/mrbench/time.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "os/process.h"
#include "os/text_file.h"
#include "support/run_program.h"

namespace mr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const char* const kOneLine =
    " *[0-9]+\\.[0-9][0-9] real  *[0-9]+\\.[0-9][0-9] user  *"
    "[0-9]+\\.[0-9][0-9] sys";

os::ProcessResult Time(std::vector<std::string> arguments) {
  os::Command command;
  command.arguments = {MRBENCH_BINARY, "time"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return test::RunCaptured(std::move(command));
}

// With "$T" for "mrbench time" in `script`.
os::ProcessResult Shell(const std::string& script) {
  os::Command command = os::ShellCommand(script);
  command.environment = {{"T", std::string(MRBENCH_BINARY) + " time"}};
  return test::RunCaptured(std::move(command));
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class MrbenchTime : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "time_test.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string Path(const std::string& name) const { return directory_ + "/" + name; }
  std::string directory_;
};

TEST_F(MrbenchTime, PrintsOneLineOnStandardErrorWithoutOptions) {
  const os::ProcessResult result = Time({"echo", "-l", "--json", "[0-9]", "--", "x y"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output.text, "-l --json [0-9] -- x y\n");
  EXPECT_THAT(Lines(result.error.text), ElementsAre(MatchesRegex(kOneLine)));
}

TEST_F(MrbenchTime, HasBsdColumnsInTheFirstLine) {
  const std::string line = Lines(Time({"true"}).error.text).at(0);
  EXPECT_EQ(line.size(), 9 + 3 + 6 + 9 + 3 + 6 + 9 + 3 + 4U) << line;
  EXPECT_EQ(line.substr(12, 6), " real ");
  EXPECT_EQ(line.substr(30, 6), " user ");
  EXPECT_EQ(line.substr(48), " sys");
}

TEST_F(MrbenchTime, PrintsBsdLabelsInBsdOrder) {
  const std::vector<std::string> lines = Lines(Time({"-l", "true"}).error.text);
  ASSERT_EQ(lines.size(), 15U);
  const std::vector<std::string> labels = {
      "maximum resident set size",
      "average shared memory size",
      "average unshared data size",
      "average unshared stack size",
      "page reclaims",
      "page faults",
      "swaps",
      "block input operations",
      "block output operations",
      "messages sent",
      "messages received",
      "signals received",
      "voluntary context switches",
      "involuntary context switches",
  };
  const std::vector<bool> kept = {true, false, false, false, true,  true, false,
                                  true, true,  false, false, false, true, true};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string& line = lines[i + 1];
    ASSERT_GT(line.size(), 12U) << line;
    EXPECT_EQ(line.substr(10), "  " + labels[i]);
    const std::string value = line.substr(0, 10);
    if (kept[i]) {
      EXPECT_THAT(value, MatchesRegex(" *[0-9]+"));
    } else {
      EXPECT_EQ(value, "       n/a");
    }
  }
}

TEST_F(MrbenchTime, KeepsColumnsForLargeFigures) {
  os::ProcessResult result;
  result.wall = std::chrono::hours(30'000) + std::chrono::milliseconds(1'239);
  result.usage.user = std::chrono::microseconds(9'999);
  result.usage.system = std::chrono::microseconds(59'999'999);
  EXPECT_EQ(app::FormatTimes(result, app::TimeLayout::kOneLine),
            "108000001.23 real         0.00 user        59.99 sys\n");
  EXPECT_EQ(app::FormatTimes(result, app::TimeLayout::kPosix),
            "real 108000001.23\nuser 0.00\nsys 59.99\n");
  EXPECT_EQ(app::FormatTimes(result, app::TimeLayout::kHuman),
            "\t1250d1.23s real\t\t0.00s user\t\t59.99s sys\n");
  result.wall = std::chrono::hours(3) + std::chrono::minutes(5) + std::chrono::seconds(7);
  EXPECT_THAT(app::FormatTimes(result, app::TimeLayout::kHuman), StartsWith("\t3h5m7.00s real"));

  result.usage.max_rss_kib = 12'345'678'901;
  EXPECT_THAT(app::FormatResources(result.usage),
              StartsWith("12345678901  maximum resident set size\n       n/a  average shared"));
}

TEST_F(MrbenchTime, PassesExitStatusThrough) {
  for (const int status : {0, 1, 2, 77, 125, 255}) {
    EXPECT_EQ(Time({"sh", "-c", "exit " + std::to_string(status)}).exit_code, status);
  }
}

TEST_F(MrbenchTime, AgreesWithGnuTimeOnWhatItCannotRun) {
  const std::string plain = Path("plain");
  std::ofstream(plain) << "no program\n";
  for (const std::string& command :
       {std::string("no-such-command"), plain, directory_, std::string("/no/such/file")}) {
    const os::ProcessResult ours = Time({command});
    os::Command reference;
    reference.arguments = {"/usr/bin/time", command};
    reference.error = os::Stream::Capture();
    EXPECT_EQ(ours.exit_code, os::Run(reference).exit_code) << command;
    EXPECT_THAT(ours.error.text, StartsWith("mrbench: " + command + ": "));
  }
  EXPECT_THAT(Time({"no-such-command"}).error.text,
              StartsWith("mrbench: no-such-command: command not found\n"));
  EXPECT_THAT(Time({plain}).error.text, HasSubstr("Permission denied"));
}

TEST_F(MrbenchTime, ReportsSignalledCommandAndPrintsFigures) {
  const os::ProcessResult result = Time({"-l", "sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  const std::vector<std::string> lines = Lines(result.error.text);
  ASSERT_EQ(lines.size(), 16U);
  EXPECT_EQ(lines[0], "mrbench: command terminated abnormally (signal 15: Terminated)");
  EXPECT_THAT(lines[1], MatchesRegex(kOneLine));
}

TEST_F(MrbenchTime, ForwardsInterruptAndStillPrintsFigures) {
  // The command sends the signal to its parent only, as kill(1) from elsewhere would.
  for (const auto& [name, number] :
       {std::pair("INT", SIGINT), std::pair("TERM", SIGTERM), std::pair("HUP", SIGHUP)}) {
    const os::ProcessResult result = Time(
        {"-l", "perl", "-e",
         std::string("kill '") + name + "', getppid; sleep 60; print qq(not interrupted\\n);"});
    EXPECT_EQ(result.exit_code, 128 + number);
    EXPECT_EQ(result.output.text, "");
    EXPECT_EQ(Lines(result.error.text).size(), 16U) << result.error.text;
  }
}

TEST_F(MrbenchTime, PrintsFiguresAfterControlC) {
  // script(1) gives a terminal, on which the character for the interrupt goes to the whole
  // foreground group. The command tells how often it was interrupted.
  const std::string inner =
      "$T -l -o " + Path("figures") +
      " perl -e 'my $n = 0; $SIG{INT} = sub { $n++ }; $| = 1; print qq(ready\\n);"
      " sleep 60; select undef, undef, undef, 0.3; print qq(interrupts $n\\n); exit 5'";
  std::ofstream(Path("inner")) << inner << "\necho status $?\n";
  const os::ProcessResult result =
      Shell("mkfifo " + Path("keys") + "; script -qec 'sh " + Path("inner") + "' /dev/null < " +
            Path("keys") + " > " + Path("screen") + " & exec 3> " + Path("keys") +
            "; until grep -q ready " + Path("screen") +
            " 2>/dev/null; do sleep 0.02; done; printf '\\003' >&3; wait; cat " + Path("screen"));
  EXPECT_THAT(result.output.text, HasSubstr("interrupts 1"));
  EXPECT_THAT(result.output.text, HasSubstr("status 5"));
  EXPECT_EQ(Lines(os::ReadText(Path("figures")).value_or("")).size(), 15U);
}

TEST_F(MrbenchTime, WritesFiguresToFileAndAppends) {
  const std::string file = Path("figures");
  std::ofstream(file) << "old\n";
  os::ProcessResult result = Time({"-o", file, "sh", "-c", "echo error >&2"});
  EXPECT_EQ(result.error.text, "error\n");
  EXPECT_THAT(Lines(os::ReadText(file).value_or("")), ElementsAre(MatchesRegex(kOneLine)));
  result = Time({"-ao" + file, "true"});
  EXPECT_EQ(result.error.text, "");
  EXPECT_THAT(Lines(os::ReadText(file).value_or("")),
              ElementsAre(MatchesRegex(kOneLine), MatchesRegex(kOneLine)));
  result = Time({"-la", "--output=" + file, "--", "true"});
  EXPECT_EQ(Lines(os::ReadText(file).value_or("")).size(), 17U);
  // The command does not inherit the file.
  result = Time({"-o", file, "sh", "-c", "ls -l /proc/self/fd"});
  EXPECT_THAT(result.output.text, ::testing::Not(HasSubstr("figures")));
}

TEST_F(MrbenchTime, DoesNotRunCommandWhenFileCannotBeWritten) {
  const os::ProcessResult result = Time({"-o", Path("missing/figures"), "echo", "ran"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output.text, "");
  EXPECT_EQ(result.error.text,
            "mrbench: " + Path("missing/figures") + ": No such file or directory\n");
}

TEST_F(MrbenchTime, ReportsFullDisk) {
  const os::ProcessResult result = Time({"-o", "/dev/full", "true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.error.text, "mrbench: /dev/full: No space left on device\n");
}

TEST_F(MrbenchTime, PrintsPosixLinesForParsing) {
  EXPECT_THAT(Lines(Time({"-p", "true"}).error.text),
              ElementsAre(MatchesRegex("real [0-9]+\\.[0-9][0-9]"),
                          MatchesRegex("user [0-9]+\\.[0-9][0-9]"),
                          MatchesRegex("sys [0-9]+\\.[0-9][0-9]")));
}

TEST_F(MrbenchTime, PrintsJsonWithUnitsInNames) {
  const os::ProcessResult result = Time({"--json", "sh", "-c", "exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  const auto json = nlohmann::json::parse(result.error.text);
  EXPECT_EQ(json.at("command"), (std::vector<std::string>{"sh", "-c", "exit 3"}));
  EXPECT_EQ(json.at("started"), true);
  EXPECT_EQ(json.at("exit_code"), 3);
  EXPECT_EQ(json.at("status"), 3);
  EXPECT_TRUE(json.at("signal").is_null());
  EXPECT_TRUE(json.at("swaps").is_null());
  EXPECT_TRUE(json.at("messages_sent").is_null());
  EXPECT_GT(json.at("real_ns"), 0);
  EXPECT_GT(json.at("max_rss_kib"), 0);
  EXPECT_GT(json.at("page_reclaims"), 0);
  EXPECT_GT(json.at("read_call_bytes"), 0);
  EXPECT_EQ(Lines(result.error.text).size(), 1U);

  const auto missing =
      nlohmann::json::parse(Lines(Time({"--json", "no-such-command"}).error.text).at(1));
  EXPECT_EQ(missing.at("started"), false);
  EXPECT_TRUE(missing.at("exit_code").is_null());
  EXPECT_EQ(missing.at("status"), 127);

  const auto killed =
      nlohmann::json::parse(Lines(Time({"--json", "sh", "-c", "kill -9 $$"}).error.text).at(1));
  EXPECT_EQ(killed.at("signal"), 9);
  EXPECT_EQ(killed.at("status"), 137);
}

TEST_F(MrbenchTime, WritesArgumentsThatAreNotUtf8AsValidJson) {
  const auto json =
      nlohmann::json::parse(Time({"--json", "true", "caf\xe9", "snow\xe2\x98\x83"}).error.text);
  EXPECT_EQ(json.at("command").at(1), "caf\xef\xbf\xbd");
  EXPECT_EQ(json.at("command").at(2), "snow\xe2\x98\x83");
}

TEST_F(MrbenchTime, MeasuresWhatGnuTimeMeasures) {
  // Facts that do not depend on the machine's mood: the child's own, and in the same units.
  const std::string script = "my $x = 'x' x 80_000_000;";
  const auto json = nlohmann::json::parse(Time({"--json", "perl", "-e", script}).error.text);
  os::Command reference;
  reference.arguments = {"/usr/bin/time", "-f", "%M", "perl", "-e", script};
  reference.error = os::Stream::Capture();
  const long gnu_kib = std::stol(os::Run(reference).error.text);
  EXPECT_GE(json.at("max_rss_kib"), 78'125);
  EXPECT_GE(gnu_kib, 78'125);
  EXPECT_LT(json.at("max_rss_kib"), 2 * gnu_kib);
  EXPECT_GE(json.at("page_reclaims"), 100);  // few where huge pages are always used
}

TEST_F(MrbenchTime, DoesNotCountItsOwnMemory) {
  const auto json = nlohmann::json::parse(Time({"--json", "true"}).error.text);
#ifdef __SANITIZE_ADDRESS__
  // The shadow memory of mrbench is inherited by the high-water mark, and reported as that.
  EXPECT_GE(json.at("max_rss_kib"), json.at("inherited_max_rss_kib"));
#else
  EXPECT_GT(json.at("max_rss_kib"), json.at("inherited_max_rss_kib"));
#endif
}

TEST_F(MrbenchTime, LeavesStandardStreamsToTheCommand) {
  const os::ProcessResult result = Shell("printf 'in' | $T sh -c 'cat; echo out; echo err >&2'");
  EXPECT_EQ(result.output.text, "inout\n");
  EXPECT_THAT(Lines(result.error.text), ElementsAre("err", MatchesRegex(kOneLine)));
}

TEST_F(MrbenchTime, CanTimeItselfAndCommandsNamedLikeOptions) {
  const os::ProcessResult result = Shell("$T $T true");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(Lines(result.error.text).size(), 2U);
  std::ofstream(Path("-l")) << "#!/bin/sh\necho minus l \"$@\"\n";
  ::chmod(Path("-l").c_str(), 0755);
  EXPECT_EQ(Shell("PATH=" + directory_ + ":$PATH; $T -- -l -- x").output.text, "minus l -- x\n");
  EXPECT_EQ(Shell("$T data 2>/dev/null; echo $?").output.text, "127\n");
}

TEST_F(MrbenchTime, ExplainsWrongUsage) {
  os::ProcessResult result = Time({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.error.text,
            "mrbench: a COMMAND is needed\n"
            "Try 'mrbench time --help' for more information.\n");
  result = Time({"-q", "echo", "ran"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output.text, "");
  EXPECT_THAT(result.error.text, HasSubstr("-q"));
  result = Time({"-p", "--json", "true"});
  EXPECT_EQ(result.exit_code, 2);
  result = Time({"-o"});
  EXPECT_EQ(result.exit_code, 2);
}

TEST_F(MrbenchTime, ExplainsItself) {
  const os::ProcessResult help = Time({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output.text, HasSubstr("--json"));
  EXPECT_EQ(help.error.text, "");
  const os::ProcessResult full = Shell("$T --help > /dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(full.error.text, "mrbench: write error\n");
}

TEST(Mrbench, ExplainsUnknownSubcommand) {
  os::Command command;
  command.arguments = {MRBENCH_BINARY, "tme", "true"};
  command.error = os::Stream::Capture();
  const os::ProcessResult result = os::Run(command);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.error.text,
            "mrbench: there is no subcommand 'tme'\n"
            "Try 'mrbench --help' for more information.\n");
}

}  // namespace
}  // namespace mr
