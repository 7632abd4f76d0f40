// The progress line, on a terminal of our own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.h"

namespace mr::test {
namespace {

// mrgrep, or a shell script, with a pseudo-terminal as its standard streams.
class OnTerminal {
 public:
  explicit OnTerminal(const std::string& script) {
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      ::setenv("TERM", "xterm", 1);
      ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
  }
  ~OnTerminal() {
    ::close(terminal_);
    if (!ended_) ::waitpid(child_, nullptr, 0);
  }

  // What has been shown, once it contains `text`; or all of it, when nothing more comes.
  const std::string& ShownUntil(const std::string& text) {
    while (shown_.find(text) == std::string::npos && ReadSome()) {
    }
    return shown_;
  }
  int Status() {
    while (ReadSome()) {
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  const std::string& shown() const { return shown_; }

 private:
  bool ReadSome() {
    pollfd ready{terminal_, POLLIN, 0};
    if (::poll(&ready, 1, 30'000) != 1) return false;
    char buffer[4096];
    const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
    if (got > 0) shown_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  int terminal_ = -1;
  pid_t child_ = -1;
  bool ended_ = false;
  std::string shown_;
};

class ProgressLine : public ::testing::Test {
 protected:
  ProgressLine() { EXPECT_EQ(::mkfifo(fifo_.c_str(), 0600), 0); }
  ~ProgressLine() override { CloseInput(); }

  void Write(const std::string& text) {
    if (input_ < 0) input_ = ::open(fifo_.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseInput() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }

  const TempDir dir_;
  const std::string fifo_ = dir_.path() / "input";
  int input_ = -1;
};

constexpr char kErase[] = "\r\033[K";

TEST_F(ProgressLine, IsErasedBeforeTheFirstLineAndStaysAway) {
  OnTerminal terminal("exec " MRGREP_BINARY " needle " + fifo_);
  Write("hay\n");
  terminal.ShownUntil("from the cache");
  EXPECT_TRUE(terminal.shown().starts_with("\rmrgrep: 4 B, ")) << terminal.shown();
  Write("a needle\n");
  terminal.ShownUntil("needle\r\n");
  EXPECT_TRUE(terminal.shown().ends_with(std::string(kErase) + "a needle\r\n")) << terminal.shown();
  const std::size_t before = terminal.shown().size();
  CloseInput();
  EXPECT_EQ(terminal.Status(), 0);
  EXPECT_EQ(terminal.shown().substr(before), "");
}

TEST_F(ProgressLine, GivesWayToMessagesAndVanishesInTheEnd) {
  OnTerminal terminal("exec " MRGREP_BINARY " needle " + fifo_ + " /nonexistent");
  Write("hay\n");
  terminal.ShownUntil("from the cache");
  CloseInput();
  EXPECT_EQ(terminal.Status(), 2);
  EXPECT_TRUE(terminal.shown().ends_with(std::string(kErase) +
                                         "mrgrep: /nonexistent: No such file or directory\r\n"))
      << terminal.shown();
}

TEST_F(ProgressLine, IsNotShownWhereItIsNotWanted) {
  for (const std::string& script :
       std::vector<std::string>{"exec " MRGREP_BINARY " --no-progress needle " + fifo_,
                                MRGREP_BINARY " --line-buffered needle " + fifo_ + " | cat",
                                "TERM=dumb exec " MRGREP_BINARY " needle " + fifo_}) {
    SCOPED_TRACE(script);
    OnTerminal terminal(script);
    Write("hay\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    Write("needle\n");
    EXPECT_EQ(terminal.ShownUntil("needle\r\n"), "needle\r\n");
    CloseInput();
    EXPECT_EQ(terminal.Status(), 0);
  }
}

}  // namespace
}  // namespace mr::test
