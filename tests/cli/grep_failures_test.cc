// What goes wrong outside mrgrep: files, standard streams, other processes. The message and the
// status that a user of grep would expect, and what was found before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/grep_comparison.h"

namespace mr::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GrepFailures : public ::testing::Test {
 protected:
  GrepFailures() {
    grep.files().Write("f", "a\nb\na\n");
    std::string numbers;
    for (int i = 1; i <= 20000; ++i) numbers += std::to_string(i) + '\n';
    grep.files().Write("numbers", numbers);
    fs::create_directory(grep.files().path() / "d");
  }

  GrepComparison grep;
};

TEST_F(GrepFailures, PatternErrorsAreGnuGrepsAndEndTheSearch) {
  grep.ExpectSameForEach(R"sh(
grep "[" f
grep "a\{1" f
grep "\(" f
grep "\)" f
grep "a\\" f
grep -E "(" f
grep -E "a{2,1}" f
grep -E "[z-a]" f
grep "[[:foo:]]" f
grep "[:alpha:]" f
grep "\(a\)\2" f
grep -e a -e "[" f
grep -q "[" f
grep -s "[" f
grep -e "a\\" -e "[" f
printf 'ok\n[\n' > p; grep -f p f; rm p
printf 'a\\{1\n\\(\n' > p; grep -e "\)" -f p -e "[" f; rm p
printf 'a\na\n[\n' | grep -f - f
LC_ALL=C grep "*a" f
LC_ALL=C grep -E "*a|{1}b" f
)sh");
}

TEST_F(GrepFailures, MissingFilesAreReportedAndTheOthersSearched) {
  grep.ExpectSameForEach(R"sh(
grep a nonexistent
grep a nonexistent f
grep a f nonexistent
grep -s a nonexistent f
grep -q a nonexistent f
grep -q a f nonexistent
grep -q zz f nonexistent
grep -qs zz f nonexistent
grep -c a f nonexistent
grep -l a f nonexistent
grep -L a f nonexistent
grep a "" f
grep a f/x
grep a nonexistent f > /dev/null
grep a f nonexistent > /dev/null
grep a d
grep a d f
grep -s a d
grep -c a d
grep -r a nonexistent
)sh");
}

TEST_F(GrepFailures, UnreadableFilesAndDirectoriesAreReported) {
  const fs::path& root = grep.files().path();
  fs::create_directories(root / "t/locked");
  grep.files().Write("t/secret", "a\n");
  grep.files().Write("t/z", "a\n");
  grep.files().Write("t/locked/x", "a\n");
  fs::permissions(root / "t/secret", fs::perms::none);
  fs::permissions(root / "t/locked", fs::perms::none);
  fs::permissions(root, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                            fs::perms::group_read | fs::perms::others_read);
  // Root may read everything, so it becomes nobody; the binary may lie where nobody may go.
  fs::copy_file(MRGREP_BINARY, root / "mrgrep");
  const std::string become =
      ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const ScriptResult result = grep.RunOurs(become + "./mrgrep -r a t");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "t/z:a\n");
  EXPECT_EQ(result.errors,
            "mrgrep: t/locked: Permission denied\nmrgrep: t/secret: Permission denied\n");
  EXPECT_EQ(grep.RunOurs(become + "./mrgrep -rs a t"), (ScriptResult{2, "t/z:a\n", ""}));
  EXPECT_EQ(grep.RunOurs(become + "./mrgrep a t/secret"),
            (ScriptResult{2, "", "mrgrep: t/secret: Permission denied\n"}));
  EXPECT_EQ(grep.RunOurs(become + "./mrgrep -f t/secret t/z"),
            (ScriptResult{2, "", "mrgrep: t/secret: Permission denied\n"}));
  fs::permissions(root / "t/locked", fs::perms::owner_all);
}

TEST_F(GrepFailures, ClosedAndFullOutputsAreReportedAsGnuGrepDoes) {
  grep.ExpectSameForEach(R"sh(
grep a f > /dev/full
grep 1 numbers > /dev/full
grep -c a f > /dev/full
grep -l a f > /dev/full
grep -q a f > /dev/full
grep zz f > /dev/full
grep --line-buffered a f > /dev/full
grep a f >&-
grep zz f >&-
grep -q a f >&-
(trap "" PIPE; grep 1 numbers; echo $? >&2) | :
)sh");
}

TEST_F(GrepFailures, ClosedPipeEndsTheSearchInSilence) {
  const ScriptResult result =
      grep.RunOurs("grep 1 numbers numbers numbers | head -1; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(result.output, "numbers:1\n141\n");  // 128 + SIGPIPE
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(grep.RunOurs("yes | grep --line-buffered y | head -2").output, "y\ny\n");
}

TEST_F(GrepFailures, StandardInputMayBeClosedOrADirectory) {
  grep.ExpectSameForEach(R"sh(
grep a <&-
grep a - f <&-
grep a - < d
grep -r a - < d
grep -d skip a - < d
grep -f - a f <&-
)sh");
}

TEST_F(GrepFailures, FilesOfProcThatTellNoSizeAreReadToTheirEnd) {
  grep.ExpectSameForEach(R"sh(
grep -c . /proc/version
grep -c processor /proc/cpuinfo
grep -l Name /proc/self/status
cat /proc/self/status | grep -c Name
grep -c "" /proc/filesystems
)sh");
  for (const char* mode : {"--read", "--io=auto"}) {
    EXPECT_EQ(grep.RunOurs(std::string("grep ") + mode + " -c Name: /proc/self/status").output,
              "1\n");
  }
}

TEST_F(GrepFailures, NamedModeThatCannotServeAFileIsAnErrorForThatFile) {
  const ScriptResult result =
      grep.RunOurs("cat f | grep --mmap a f -; grep --mmap -c . /proc/version");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("f:a\n"));
  EXPECT_THAT(result.errors, HasSubstr("grep: (standard input): "));
  EXPECT_THAT(result.errors, HasSubstr("grep: /proc/version: "));
}

TEST_F(GrepFailures, MessagesNameTheFileAlsoWhereDescriptorsAreShort) {
  for (const char* mode : {"read", "mmap", "direct", "uring", "uring:direct"}) {
    for (const int descriptors : {4, 5}) {
      // What the test's caller has left open would count.
      const std::string limit =
          "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n " + std::to_string(descriptors);
      const ScriptResult result = grep.RunOurs(limit + "; exec grep --io=" + mode + " a f");
      if (result.status == 2) {
        EXPECT_THAT(result.errors, StartsWith("grep: f: ")) << mode << " " << limit;
      } else {
        EXPECT_EQ(result.output, "a\na\n") << mode << " " << limit;
      }
    }
  }
}

// Directories that are open ahead of their turn must not take what the files need.
TEST_F(GrepFailures, TreesAreSearchedAlsoWhereDescriptorsAreShort) {
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 10; ++j) {
      const std::string folder = "tree/" + std::to_string(i) + "/" + std::to_string(j);
      std::filesystem::create_directories(grep.files().path() / folder);
      grep.files().Write(folder + "/file", "a\n");
    }
  }
  for (const char* limit : {"24; grep -j1", "24; grep -j2", "200; grep -j16"}) {
    const ScriptResult result = grep.RunOurs("exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n " +
                                             std::string(limit) + " -rh a tree");
    EXPECT_EQ(result.errors, "") << limit;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 400) << limit;
  }
}

TEST_F(GrepFailures, FifoIsReadAsItsWriterWrites) {
  ASSERT_EQ(::mkfifo((grep.files().path() / "fifo").c_str(), 0600), 0);
  // What a writer has left must not be read by the next grep.
  grep.ExpectSameForEach(R"sh(
(echo a; echo b; echo xa) > fifo & grep -n a fifo; s=$?; wait; exit $s
(echo a; echo b; echo xa) > fifo & grep -c a fifo f; s=$?; wait; exit $s
(echo a; echo b; echo xa) > fifo & grep -q a fifo; s=$?; wait; exit $s
)sh");
  // A line comes out while the writer still waits.
  const ScriptResult result = grep.RunOurs(
      "exec 3<>fifo; coproc { exec grep --line-buffered a fifo 3>&-; }; echo xa >&3;"
      "read -r line <&${COPROC[0]}; echo \"got $line\"; kill $COPROC_PID; exec 3>&-; wait");
  EXPECT_THAT(result.output, HasSubstr("got xa\n"));
}

// A mrgrep whose output nobody reads yet, and which therefore stops in the middle of its file.
class StalledSearch {
 public:
  explicit StalledSearch(std::vector<const char*> arguments) {
    EXPECT_EQ(::pipe(output_), 0);
    EXPECT_EQ(::pipe(errors_), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(output_[1], STDOUT_FILENO);
      ::dup2(errors_[1], STDERR_FILENO);
      for (const int fd : {output_[0], output_[1], errors_[0], errors_[1]}) ::close(fd);
      arguments.insert(arguments.begin(), "mrgrep");
      arguments.push_back(nullptr);
      ::execv(MRGREP_BINARY, const_cast<char**>(arguments.data()));
      ::_exit(127);
    }
    ::close(output_[1]);
    ::close(errors_[1]);
    pollfd readable{.fd = output_[0], .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&readable, 1, 60'000), 1) << "no output in a minute";
  }

  // Reads everything and waits for the end.
  ScriptResult Finish() {
    ScriptResult result;
    result.output = ReadAll(output_[0]);
    result.errors = ReadAll(errors_[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

 private:
  static std::string ReadAll(int fd) {
    std::string text;
    char buffer[65536];
    for (ssize_t bytes; (bytes = ::read(fd, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(bytes));
    }
    ::close(fd);
    return text;
  }

  int output_[2];
  int errors_[2];
  pid_t pid_ = -1;
};

TEST_F(GrepFailures, FileTruncatedUnderMmapIsAMessageAndWhatWasFoundIsPrinted) {
  std::string lines;
  while (lines.size() < std::size_t{128} << 20) {
    lines += "a line with a needle in it, long enough not to be too many of them\n";
  }
  for (const char* threads : {"-j1", "-j2"}) {
    const std::string path = grep.files().Write("shrinking", lines);
    StalledSearch search({"--mmap", threads, "needle", path.c_str()});
    fs::resize_file(path, 8192);
    const ScriptResult result = search.Finish();
    EXPECT_EQ(result.status, 2) << threads;
    EXPECT_THAT(result.errors, StartsWith("mrgrep: " + path + ": ")) << threads;
    EXPECT_GT(result.output.size(), 8000U) << threads;
    EXPECT_LT(result.output.size(), lines.size()) << threads;
    EXPECT_TRUE(lines.starts_with(result.output)) << threads;
  }
}

TEST_F(GrepFailures, WrongIoModesAreUsageErrors) {
  for (const char* spec : {"nonsense", "read:buffer=x", "mmap:advice=y", "read:populate", ""}) {
    const ScriptResult result = grep.RunOurs(std::string("grep --io=") + spec + " a f");
    EXPECT_EQ(result.status, 2) << spec;
    EXPECT_EQ(result.output, "") << spec;
    EXPECT_THAT(result.errors, StartsWith("grep: ")) << spec;
  }
  EXPECT_EQ(grep.RunOurs("grep -j x a f"),
            (ScriptResult{2, "", "grep: x: invalid number of threads\n"}));
  EXPECT_EQ(grep.RunOurs("grep --stats=xml a f"),
            (ScriptResult{2, "", "grep: xml: unknown format of --stats\n"}));
  EXPECT_EQ(grep.RunOurs("grep --sort=size a f"),
            (ScriptResult{2, "", "grep: size: unknown sort key\n"}));
}

TEST_F(GrepFailures, StatsTellWhatWasReadAndHow) {
  const ScriptResult result = grep.RunOurs("grep --mmap --stats=json -c 7 numbers f");
  EXPECT_EQ(result.output, "numbers:6878\nf:0\n");
  const nlohmann::json stats = nlohmann::json::parse(result.errors);
  EXPECT_EQ(stats["files"], 2);
  EXPECT_EQ(stats["selected_lines"], 6878);
  const std::uintmax_t bytes = fs::file_size(grep.files().path() / "numbers") + 6;
  EXPECT_EQ(stats["bytes"], bytes);
  EXPECT_EQ(stats["bytes_by_mode"], (nlohmann::json{{"mmap", bytes}}));
  for (const char* field :
       {"real_seconds", "user_seconds", "sys_seconds", "minor_faults", "major_faults",
        "blocks_read", "pages_resident_before", "pages_resident_after", "pages_unknown"}) {
    EXPECT_TRUE(stats.contains(field)) << field;
  }
  const std::string text = grep.RunOurs("grep --read --stats a f").errors;
  EXPECT_THAT(text, HasSubstr("             1  files searched\n"));
  EXPECT_THAT(text, HasSubstr("             6  bytes by read\n"));
  EXPECT_THAT(text, HasSubstr("             2  lines selected\n"));
}

// The C library's matcher goes deeper for each repeat of an empty group, without end.
TEST_F(GrepFailures, AnExhaustedStackIsAMessage) {
  for (const char* command : {"grep -E '(a*)(\\1){3}*' f", "grep -j1 -E '(a*)(\\1){3}*' f",
                              "grep -j4 -r -E '(a*)(\\1){3}*' ."}) {
    const auto run = grep.RunOurs(command);
    EXPECT_EQ(run.status, 2) << command;
    EXPECT_EQ(run.errors, "grep: stack overflow\n") << command;
  }
}

TEST_F(GrepFailures, DebugNamesTheEngine) {
  EXPECT_THAT(grep.RunOurs("grep --debug a f").errors,
              HasSubstr("grep: engine: byte sequences (exact)"));
  EXPECT_THAT(grep.RunOurs("grep --debug 'aa*' f").errors, HasSubstr("grep: engine: re2 ("));
  EXPECT_THAT(grep.RunOurs("grep --debug '\\(a\\)\\1' f").errors,
              HasSubstr("grep: engine: gnu regex ("));
}

}  // namespace
}  // namespace mr::test
