#include "print/standard_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr::print {
namespace {

using Buffering = StandardOutput::Buffering;

// Puts files in the place of this process's standard output and error while it lives.
class Redirection {
 public:
  explicit Redirection(const std::string& output) {
    saved_[0] = Replace(STDOUT_FILENO, output);
    saved_[1] = Replace(STDERR_FILENO, dir_.path() / "errors");
  }
  ~Redirection() {
    ::dup2(saved_[0], STDOUT_FILENO);
    ::dup2(saved_[1], STDERR_FILENO);
    ::close(saved_[0]);
    ::close(saved_[1]);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

  std::string errors() const { return os::ReadText(dir_.path() / "errors").value(); }

 private:
  static int Replace(int fd, const std::string& path) {
    const int saved = ::dup(fd);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, fd);
    ::close(file);
    return saved;
  }

  test::TempDir dir_;
  int saved_[2];
};

class StandardOutputTest : public ::testing::Test {
 protected:
  std::string Written() const { return os::ReadText(path_).value(); }

  test::TempDir dir_;
  const std::string path_ = dir_.path() / "out";
};

TEST_F(StandardOutputTest, HoldsSmallWritesAndPassesOnLargeOnesInOrder) {
  std::string expected;
  {
    const Redirection redirection(path_);
    StandardOutput output("p", Buffering::kBlocks, false);
    output.Write("small\n");
    EXPECT_EQ(Written(), "");
    for (const std::size_t size : {10U, 70'000U, 3U, 65'536U, 65'535U, 200'000U, 1U}) {
      const std::string bytes(size, static_cast<char>('a' + size % 26));
      output.Write(bytes);
      expected += bytes;
    }
    output.Flush();
  }
  EXPECT_EQ(Written(), "small\n" + expected);
}

TEST_F(StandardOutputTest, HandsOverEachWriteWhenAsked) {
  const Redirection redirection(path_);
  StandardOutput output("p", Buffering::kWrites, false);
  output.Write("a\n");
  EXPECT_EQ(Written(), "a\n");
}

TEST_F(StandardOutputTest, MessagesComeAfterWhatWasWritten) {
  const Redirection redirection(path_);
  StandardOutput output("prog", Buffering::kBlocks, false);
  output.Write("a\n");
  output.Message(search::Severity::kNotice, "f: binary file matches");
  EXPECT_EQ(Written(), "a\n");
  EXPECT_EQ(redirection.errors(), "prog: f: binary file matches\n");
}

TEST_F(StandardOutputTest, QuietAboutFilesIsNotQuietAboutTheRest) {
  const Redirection redirection(path_);
  StandardOutput output("prog", Buffering::kBlocks, true);
  output.Message(search::Severity::kFileError, "f: No such file or directory");
  output.Message(search::Severity::kNotice, "g: binary file matches");
  output.Message(search::Severity::kError, "exceeded a limit");
  EXPECT_EQ(redirection.errors(), "prog: g: binary file matches\nprog: exceeded a limit\n");
}

TEST_F(StandardOutputTest, FullDeviceIsAnErrorOnce) {
  const Redirection redirection("/dev/full");
  StandardOutput output("prog", Buffering::kBlocks, false);
  output.Write("a\n");
  try {
    output.Flush();
    FAIL();
  } catch (const search::OutputError& error) {
    EXPECT_STREQ(error.what(), "write error: No space left on device");
  }
  EXPECT_NO_THROW(output.Flush());  // nothing is held any more
}

TEST_F(StandardOutputTest, ClosedPipeIsAnErrorWhereTheSignalIsIgnored) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto old_handler = ::signal(SIGPIPE, SIG_IGN);
  {
    const Redirection redirection(path_);
    ::dup2(ends[1], STDOUT_FILENO);
    StandardOutput output("prog", Buffering::kWrites, false);
    EXPECT_THROW(output.Write("a\n"), search::OutputError);
  }
  ::signal(SIGPIPE, old_handler);
  ::close(ends[1]);
}

}  // namespace
}  // namespace mr::print
