#include "os/process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "os/error.h"
#include "os/process_fixture.h"
#include "os/text_file.h"

namespace mr::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Process : public ProcessFixture {};

// The descriptors that a command finds open, by number.
std::set<int> OpenDescriptors(const std::string& listing) {
  std::istringstream words(listing);
  std::set<int> result;
  for (int number = 0; words >> number;) result.insert(number);
  return result;
}

TEST_F(Process, ReportsExitCode) {
  const ProcessResult result = os::Run(ShellCommand("exit 7"));
  EXPECT_FALSE(result.start_failure);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.shell_status(), 7);
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(os::Run(ShellCommand(":")).succeeded());
}

TEST_F(Process, ReportsSignalAsShellDoes) {
  const ProcessResult result = os::Run(ShellCommand("kill -TERM $$"));
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.shell_status(), 128 + SIGTERM);
  EXPECT_FALSE(result.succeeded());
}

TEST_F(Process, TellsMissingCommandFromOneThatCannotRun) {
  Command command;
  command.arguments = {"no-such-command-anywhere"};
  ProcessResult result = os::Run(command);
  ASSERT_TRUE(result.start_failure);
  EXPECT_TRUE(result.start_failure->exec);
  EXPECT_EQ(result.start_failure->error_number, ENOENT);
  EXPECT_EQ(result.shell_status(), 127);
  EXPECT_EQ(result.start_failure->message(), "no-such-command-anywhere: command not found");

  command.arguments = {"/no/such/command"};
  result = os::Run(command);
  EXPECT_EQ(result.shell_status(), 127);
  EXPECT_EQ(result.start_failure->message(), "/no/such/command: No such file or directory");

  command.arguments = {directory_};
  result = os::Run(command);
  EXPECT_EQ(result.shell_status(), 126);
  EXPECT_EQ(result.start_failure->message(), directory_ + ": Permission denied");

  std::ofstream(Path("not-executable")) << "#!/bin/sh\n";
  command.arguments = {Path("not-executable")};
  EXPECT_EQ(os::Run(command).shell_status(), 126);

  command.arguments = {""};
  EXPECT_EQ(os::Run(command).shell_status(), 127);
}

TEST_F(Process, RunsScriptWithoutInterpreterLineAsShellsDo) {
  std::ofstream(Path("script")) << "exit 5\n";
  ::chmod(Path("script").c_str(), 0755);
  Command command;
  command.arguments = {Path("script")};
  EXPECT_EQ(os::Run(command).exit_code, 5);
}

TEST_F(Process, RejectsEmptyCommand) { EXPECT_THROW(os::Run(Command()), IoError); }

TEST_F(Process, CapturesOutputAndErrorApart) {
  Command command = ShellCommand("printf 'a\\nb\\n'; printf 'x' >&2");
  command.output = Stream::Capture();
  command.error = Stream::Capture();
  const ProcessResult result = os::Run(command);
  EXPECT_EQ(result.output.text, "a\nb\n");
  EXPECT_EQ(result.output.lines, 2U);
  EXPECT_EQ(result.output.bytes, 4U);
  EXPECT_EQ(result.error.text, "x");
  EXPECT_EQ(result.error.lines, 0U);
}

TEST_F(Process, MergesErrorIntoOutput) {
  Command command = CapturedShell("echo one; echo two >&2; echo three");
  command.error = Stream::SameAsOutput();
  EXPECT_EQ(os::Run(command).output.text, "one\ntwo\nthree\n");
}

TEST_F(Process, CountsMoreOutputThanPipesHoldWithoutKeepingIt) {
  Command command = ShellCommand("yes | head -c 20000000");
  command.output = Stream::Count();
  const ProcessResult result = os::Run(command);
  EXPECT_EQ(result.output.bytes, 20000000U);
  EXPECT_EQ(result.output.lines, 10000000U);
  EXPECT_EQ(result.output.text, "");
}

TEST_F(Process, KeepsOnlyTheBeginningOfLongOutput) {
  Command command = CapturedShell("yes | head -c 1000000");
  command.output.keep_bytes = 5;
  const ProcessResult result = os::Run(command);
  EXPECT_EQ(result.output.text, "y\ny\ny");
  EXPECT_EQ(result.output.bytes, 1000000U);
}

TEST_F(Process, RedirectsToFilesAndAppends) {
  Command command = ShellCommand("echo first");
  command.output = Stream::File(Path("out"));
  os::Run(command);
  command = ShellCommand("echo second");
  command.output = Stream::File(Path("out"));
  os::Run(command);
  command = ShellCommand("echo third");
  command.output = Stream::Append(Path("out"));
  os::Run(command);
  EXPECT_EQ(ReadText(Path("out")), "second\nthird\n");
}

TEST_F(Process, FeedsInputFromTextFileAndNull) {
  Command command = CapturedShell("cat");
  const std::string large(3'000'000, 'z');
  command.input = Stream::Text(large);
  EXPECT_EQ(os::Run(command).output.text, large);

  std::ofstream(Path("in")) << "from a file\n";
  command.input = Stream::File(Path("in"));
  EXPECT_EQ(os::Run(command).output.text, "from a file\n");

  command.input = Stream::Null();
  const ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output.bytes, 0U);
}

TEST_F(Process, SurvivesChildThatDoesNotReadItsInput) {
  Command command = ShellCommand("exec true");
  command.input = Stream::Text(std::string(1'000'000, 'x'));
  EXPECT_TRUE(os::Run(command).succeeded());
}

TEST_F(Process, NamesRedirectionThatCannotBeOpened) {
  Command command = ShellCommand(":");
  command.input = Stream::File(Path("missing"));
  try {
    os::Run(command);
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(), Path("missing") + ": No such file or directory");
  }
}

TEST_F(Process, ChangesEnvironmentOfTheChildOnly) {
  ::setenv("MR_TEST_KEPT", "kept", 1);
  ::setenv("MR_TEST_GONE", "gone", 1);
  Command command = CapturedShell("echo ${MR_TEST_KEPT-unset} ${MR_TEST_GONE-unset} $MR_TEST_NEW");
  command.environment = {{"MR_TEST_GONE", std::nullopt}, {"MR_TEST_NEW", "a=b"}};
  EXPECT_EQ(os::Run(command).output.text, "kept unset a=b\n");
  EXPECT_STREQ(std::getenv("MR_TEST_GONE"), "gone");
  EXPECT_EQ(std::getenv("MR_TEST_NEW"), nullptr);
}

TEST_F(Process, LooksUpCommandInTheChildsPath) {
  std::ofstream(Path("only-here")) << "#!/bin/sh\nexit 9\n";
  ::chmod(Path("only-here").c_str(), 0755);
  Command command;
  command.arguments = {"only-here"};
  EXPECT_EQ(os::Run(command).shell_status(), 127);
  command.environment = {{"PATH", directory_}};
  EXPECT_EQ(os::Run(command).shell_status(), 9);
}

TEST_F(Process, StartsInDirectory) {
  Command command = CapturedShell("pwd -P");
  command.directory = directory_;
  EXPECT_EQ(os::Run(command).output.text, std::filesystem::canonical(directory_).string() + "\n");

  command.directory = Path("missing");
  const ProcessResult result = os::Run(command);
  ASSERT_TRUE(result.start_failure);
  EXPECT_FALSE(result.start_failure->exec);
  EXPECT_EQ(result.shell_status(), 125);
  EXPECT_EQ(result.start_failure->message(), Path("missing") + ": No such file or directory");
}

TEST_F(Process, WritesItselfIntoGroupFilesBeforeItStarts) {
  std::ofstream(Path("procs"));
  Command command = CapturedShell("cat " + Path("procs"));
  command.cgroup_procs_files = {Path("procs")};
  EXPECT_EQ(os::Run(command).output.text, "0");

  command.cgroup_procs_files = {Path("procs"), Path("missing")};
  const ProcessResult result = os::Run(command);
  ASSERT_TRUE(result.start_failure);
  EXPECT_EQ(result.start_failure->message(), Path("missing") + ": No such file or directory");
  EXPECT_EQ(result.output.bytes, 0U);
}

TEST_F(Process, LeaksNoDescriptors) {
  // What this process was itself given by its parent is passed on, and nothing else.
  const std::string list = "for f in /proc/self/fd/*; do echo ${f##*/}; done";
  const std::set<int> plain = OpenDescriptors(os::Run(CapturedShell(list)).output.text);
  Command command = CapturedShell(list);
  command.error = Stream::Capture();
  command.input = Stream::Text("x");
  command.forwarding = Forwarding::kTermination;
  command.timeout = seconds(60);
  command.cgroup_procs_files = {Path("procs")};
  std::ofstream(Path("procs"));
  EXPECT_EQ(OpenDescriptors(os::Run(command).output.text), plain);
}

TEST_F(Process, LeaksNoDescriptorsIntoItsOwnProcess) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = count();
  for (int i = 0; i < 20; ++i) {
    Command command = CapturedShell("echo x");
    command.error = Stream::Count();
    command.forwarding = Forwarding::kTermination;
    os::Run(command);
    command.arguments = {"no-such-command"};
    os::Run(command);
  }
  EXPECT_EQ(count(), before);
}

TEST_F(Process, LeavesNoZombies) {
  for (int i = 0; i < 50; ++i) os::Run(ShellCommand(":"));
  Command missing;
  missing.arguments = {"no-such-command"};
  os::Run(missing);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Process, MeasuresThatChildOnly) {
  Command heavy;
  heavy.arguments = {"perl", "-e",
                     "my $x = 'x' x 50_000_000; my $t = (times)[0];"
                     "1 while (times)[0] - $t < 0.2;"};
  const ProcessResult first = os::Run(heavy);
  ASSERT_TRUE(first.succeeded());
  EXPECT_GE(first.usage.max_rss_kib, 48'000);
  EXPECT_GE(first.usage.user, milliseconds(150));
  EXPECT_GE(first.wall, milliseconds(150));
  EXPECT_GT(first.usage.minor_faults, 100);  // few where huge pages are always used

  const ProcessResult second = os::Run(ShellCommand(":"));
  // Nothing of the first child; what this process has grown to, under a sanitizer above all, is
  // inherited, and said to be.
  EXPECT_LE(second.usage.max_rss_kib,
            std::max<std::int64_t>(second.inherited_max_rss_kib + 1024, 40'000));
  EXPECT_LT(second.usage.user, first.usage.user);
}

TEST_F(Process, TellsHowMuchOfTheResidentSizeIsInherited) {
  const ProcessResult result = os::Run(ShellCommand(":"));
  EXPECT_GT(result.inherited_max_rss_kib, 0);
  EXPECT_GE(result.usage.max_rss_kib, result.inherited_max_rss_kib);
}

TEST_F(Process, CountsBytesReadByTheChildAndItsChildren) {
  std::ofstream(Path("data")) << std::string(1'000'000, 'x');
  const ProcessResult result = os::Run(ShellCommand("cat " + Path("data") + " > /dev/null; :"));
  ASSERT_TRUE(result.io);
  EXPECT_GE(result.io->rchar_bytes, 1'000'000U);
  EXPECT_GE(result.io->wchar_bytes, 1'000'000U);
  EXPECT_GT(result.io->read_calls, 0U);
}

TEST_F(Process, MeasuresFromExecToEnd) {
  const ProcessResult result = os::Run(ShellCommand("sleep 0.2"));
  EXPECT_GE(result.wall, milliseconds(200));
}

TEST_F(Process, WorksWithStandardStreamsClosed) {
  // In a process of its own, since the test's streams are needed.
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    Command command = CapturedShell("cat; echo error >&2");
    command.input = Stream::Text("text");
    command.error = Stream::Capture();
    const ProcessResult result = os::Run(command);
    const bool right =
        result.succeeded() && result.output.text == "text" && result.error.text == "error\n";
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST_F(Process, RunsInManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> failures(8, 0);
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&failures, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string text = std::to_string(t) + " " + std::to_string(i);
        if (os::Run(CapturedShell("echo " + text)).output.text != text + "\n") ++failures[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, std::vector<int>(8, 0));
}

}  // namespace
}  // namespace mr::os
