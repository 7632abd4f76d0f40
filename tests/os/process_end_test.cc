// How children come to their end: time limits, signals, and what they leave behind.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "os/error.h"
#include "os/process.h"
#include "os/process_fixture.h"
#include "os/text_file.h"
#include "scratch.h"

namespace mr::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ProcessEnd : public ProcessFixture {};

TEST_F(ProcessEnd, EndsChildAfterTimeout) {
  Command command = ShellCommand("exec sleep 60");
  command.timeout = milliseconds(100);
  const ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_GE(result.wall, milliseconds(100));
}

TEST_F(ProcessEnd, KillsChildThatIgnoresTermination) {
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;  // inherited by the child, which cannot be too late to say it
  ::sigaction(SIGTERM, &ignore, &before);
  Command command = ShellCommand("while :; do sleep 0.05; done");
  command.timeout = milliseconds(50);
  command.own_process_group = true;
  const ProcessResult result = os::Run(command);
  ::sigaction(SIGTERM, &before, nullptr);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_FALSE(result.left_processes);
}

TEST_F(ProcessEnd, TimeoutEndsStoppedChild) {
  Command command = ShellCommand("kill -STOP $$; sleep 60");
  command.timeout = milliseconds(100);
  EXPECT_EQ(os::Run(command).signal, SIGTERM);
}

TEST_F(ProcessEnd, TimeoutReachesDescendantsInOwnGroup) {
  Command command = ShellCommand("sleep 60 & echo $! > " + Path("pid") + "; wait");
  command.timeout = milliseconds(1500);
  command.own_process_group = true;
  const ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.left_processes);
  const pid_t pid = std::stoi(ReadText(Path("pid")).value_or("0"));
  ASSERT_GT(pid, 1);
  // Gone, or a zombie that init has not come round to.
  const std::string status = ReadText("/proc/" + std::to_string(pid) + "/status").value_or("Z (");
  EXPECT_NE(status.find("Z ("), std::string::npos) << status;
}

TEST_F(ProcessEnd, NeitherWaitsForNorSparesWhatTheChildLeftBehind) {
  Command command = CapturedShell("sleep 30 & echo $!");
  command.own_process_group = true;
  const ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(result.wall, seconds(20));
  EXPECT_TRUE(result.left_processes);
  // Gone, or a zombie, as soon as the signal has reached it.
  const std::string path = "/proc/" + std::to_string(std::stoi(result.output.text)) + "/status";
  std::string status;
  for (int i = 0; i < 1000 && status.find("Z (") == std::string::npos; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    status = ReadText(path).value_or("Z (");
  }
  EXPECT_NE(status.find("Z ("), std::string::npos) << status;
}

TEST_F(ProcessEnd, IsNotHeldUpByOutputWithoutEnd) {
  Command command = CapturedShell("yes & echo $! >&2");
  command.output.keep_bytes = 10;
  command.error = Stream::Capture();
  command.own_process_group = true;
  ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.succeeded());
  ::kill(std::stoi(result.error.text), SIGKILL);

  command = ShellCommand("exec yes");
  command.output = Stream::Count();
  command.timeout = milliseconds(500);
  result = os::Run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_GT(result.output.bytes, 0U);
}

// The child is held up in a FIFO that stands for the cgroup.procs file, its parent is killed
// meanwhile.
TEST_F(ProcessEnd, DoesNotBecomeTheCommandWhenItsParentIsDead) {
  const std::string fifo = Path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::signal(SIGPIPE, SIG_IGN);  // else what the child has to report to the dead would end it
    Command command = ShellCommand("echo it runs >&" + std::to_string(ends[1]));
    command.own_process_group = true;
    command.cgroup_procs_files = {fifo};
    os::Run(command);
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string children =
      "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
  for (int i = 0; i < 1000 && ReadText(children).value_or("").empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  const std::string written = ReadText(fifo).value_or("");
  EXPECT_EQ(ReadText(ends[0]), "");  // its end, when nobody is left who could write
  ::close(ends[0]);
  EXPECT_EQ(written, "0");
}

// What fails here is the wait: the child leaves its parent fewer descriptors than poll(2) is given.
TEST_F(ProcessEnd, KillsTheWholeGroupWhenItCannotGoOnWaiting) {
  const std::string failure = InChild(false, [this]() -> std::string {
    rlimit before;
    ::getrlimit(RLIMIT_NOFILE, &before);
    Command command = CapturedShell("sleep 60 & echo $! >" + Path("pid") +
                                    "; prlimit --pid $PPID --nofile=3:; echo; sleep 60");
    command.own_process_group = true;
    bool has_thrown = false;
    try {
      os::Run(command);
    } catch (const IoError&) {
      has_thrown = true;
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
    if (!has_thrown) return "nothing was thrown";
    if (::waitpid(-1, nullptr, WNOHANG) != -1) return "the child was not reaped";
    const std::string pid = ReadText(Path("pid")).value_or("");
    const std::string process = "/proc/" + pid.substr(0, pid.find('\n'));
    std::string status;
    for (int i = 0; i < 1000; ++i) {
      // Gone, or a zombie that init has not come round to.
      status = ReadText(process + "/status").value_or("Z (");
      if (status.find("Z (") != std::string::npos) return "";
      std::this_thread::sleep_for(milliseconds(10));
    }
    return status;
  });
  EXPECT_EQ(failure, "");
}

TEST_F(ProcessEnd, TimeoutReachesChildrenThatWriteFasterThanTheyAreRead) {
  Command command = ShellCommand("for i in 1 2 3 4 5 6 7 8; do yes & done; exec yes");
  command.output = Stream::Count();
  command.own_process_group = true;
  command.timeout = milliseconds(300);
  const ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(result.wall, seconds(60));
  EXPECT_FALSE(result.left_processes);
}

TEST_F(ProcessEnd, FailureToStartIsNoTimeout) {
  Command command = ShellCommand(":");
  command.cgroup_procs_files = {Path("missing")};
  command.timeout = seconds(60);
  const ProcessResult result = os::Run(command);
  EXPECT_TRUE(result.start_failure);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.wall.count(), 0);
}

TEST_F(ProcessEnd, PassesTerminationSignalsOnAndGoesOnItself) {
  Command command = CapturedShell(
      "trap 'echo caught; exit 3' INT; echo $PPID; "
      "kill -INT $PPID; while :; do sleep 0.02; done");
  command.forwarding = Forwarding::kTermination;
  const ProcessResult result = os::Run(command);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.forwarded_signal, SIGINT);
  EXPECT_NE(result.output.text.find("caught"), std::string::npos);
}

TEST_F(ProcessEnd, LeavesIgnoredSignalsIgnored) {
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignore, &before);
  Command command = ShellCommand("kill -HUP $PPID; kill -HUP $$; exit 4");
  command.forwarding = Forwarding::kTermination;
  const ProcessResult result = os::Run(command);
  ::sigaction(SIGHUP, &before, nullptr);
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.forwarded_signal, 0);
}

TEST_F(ProcessEnd, GivesTheChildTheCallersSignalMask) {
  Command command = CapturedShell("grep SigBlk /proc/self/status");
  const std::string plain = os::Run(command).output.text;
  command.forwarding = Forwarding::kTermination;
  EXPECT_EQ(os::Run(command).output.text, plain);
  EXPECT_NE(plain.find("0000000000000000"), std::string::npos) << plain;
}

TEST_F(ProcessEnd, KeepsFiguresWhereCallerIgnoresChildSignals) {
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGCHLD, &ignore, &before);
  const ProcessResult result = os::Run(ShellCommand("exit 6"));
  ::sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(result.exit_code, 6);
}

TEST_F(ProcessEnd, IsNotDisturbedByOtherSignals) {
  struct sigaction quiet = {}, before = {};
  quiet.sa_handler = [](int) {};  // without SA_RESTART: every call may be interrupted
  ::sigaction(SIGALRM, &quiet, &before);
  const itimerval often = {{0, 500}, {0, 500}};
  const itimerval never = {};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  Command command = CapturedShell("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.02; done");
  command.timeout = seconds(60);
  const ProcessResult result = os::Run(command);
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output.lines, 8U);
}

}  // namespace
}  // namespace mr::os
