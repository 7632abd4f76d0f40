// Files that fail while they are searched, in every mode: what was read before is printed, the
// message names file and offset, and the exit status is 2. The faults come from a file system of
// our own (fault_fs_tool), which needs /dev/fuse and the right to mount.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "faults/content.h"
#include "io/loaded_source.h"
#include "os/file.h"
#include "os/process.h"
#include "support/temp_dir.h"

namespace mr::test {
namespace {

class FaultFileSystem {
 public:
  FaultFileSystem() : mountpoint_(dir_.path() / "mnt") {
    std::filesystem::create_directory(mountpoint_);
    const std::string tool =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fault_fs_tool";
    server_ = ::fork();
    if (server_ == 0) {
      ::execl(tool.c_str(), tool.c_str(), mountpoint_.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + std::chrono::seconds(20);
    while (steady_clock::now() < deadline && !Ended() && !mounted_) {
      struct stat status;
      mounted_ = ::stat(Path("whole").c_str(), &status) == 0;
      if (!mounted_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  ~FaultFileSystem() {
    if (mounted_ && ::umount2(mountpoint_.c_str(), MNT_DETACH) != 0) {
      os::Run(os::ShellCommand("fusermount3 -uz '" + mountpoint_.string() + "'"));
    }
    if (!Ended()) {
      ::kill(server_, SIGTERM);
      ::waitpid(server_, nullptr, 0);
    }
  }

  bool mounted() const { return mounted_; }
  std::string Path(const std::string& name) const { return mountpoint_ / name; }

 private:
  bool Ended() {
    if (!ended_) ended_ = ::waitpid(server_, nullptr, WNOHANG) == server_;
    return ended_;
  }

  const TempDir dir_;
  const std::filesystem::path mountpoint_;
  pid_t server_ = -1;
  bool ended_ = false;
  bool mounted_ = false;
};

const std::vector<std::string> kModes = {
    "--io=auto",
    "--io=read",
    "--io=read:buffer=4K",
    "--io=read:buffer=1000",
    "--io=mmap",
    "--io=mmap:window=64K",
    "--io=mmap:populate",
    "--io=uring",
    "--io=uring:buffer=64K,depth=8",
    "--io=uring:direct",
    "--io=direct",
    "--io=direct:buffer=96K,depth=1",
    "--io=read --cache=keep",
    "--io=uring --cache=drop",
    "--io=auto --cache=drop",
};

class Faults : public ::testing::TestWithParam<std::string> {
 protected:
  // One for all tests: mounting takes a moment.
  static void SetUpTestSuite() { files_ = std::make_unique<FaultFileSystem>(); }
  static void TearDownTestSuite() { files_.reset(); }
  void SetUp() override {
    // Files that fail on demand need a file system of our own: nothing else gives EIO in the
    // middle.
    if (!files_->mounted()) GTEST_SKIP() << "needs /dev/fuse and the right to mount";
  }

  // Every line is selected; status, output and messages, the latter without the file's folder.
  os::ProcessResult Search(const std::string& path, unsigned threads) const {
    os::Command command = os::ShellCommand(std::string(MRGREP_BINARY) + " " + GetParam() + " -j" +
                                           std::to_string(threads) + " line " + path);
    command.output = os::Stream::Capture();
    command.error = os::Stream::Capture();
    command.timeout = std::chrono::seconds(60);
    os::ProcessResult result = os::Run(command);
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.signal, 0);
    return result;
  }
  bool Maps() const { return GetParam().find("mmap") != std::string::npos; }

  static std::unique_ptr<FaultFileSystem> files_;
};
std::unique_ptr<FaultFileSystem> Faults::files_;

void ExpectOutput(const os::ProcessResult& result, std::size_t bytes) {
  EXPECT_TRUE(result.output.text == Content(bytes))
      << result.output.text.size() << " bytes instead of " << bytes << "; " << result.error.text;
}

// Of the file's own bytes at least so many, in whole lines, and nothing that is not the file's.
void ExpectBeginning(const os::ProcessResult& result, std::size_t least_bytes) {
  EXPECT_TRUE(Content(kContentBytes).starts_with(result.output.text)) << result.output.text.size();
  EXPECT_EQ(result.output.text.size() % kLineBytes, 0U);
  EXPECT_GE(result.output.text.size(), least_bytes);
}

TEST_P(Faults, FilesWithoutAnyAreReadWhole) {
  for (const unsigned threads : {1U, 3U}) {
    for (const char* name : {"whole", "slow"}) {
      SCOPED_TRACE(name);
      const os::ProcessResult result = Search(files_->Path(name), threads);
      EXPECT_EQ(result.exit_code, 0);
      EXPECT_EQ(result.error.text, "");
      ExpectOutput(result, kContentBytes);
    }
  }
}

// The page that holds the bad byte cannot be read; all lines that end before it can.
TEST_P(Faults, BadPlaceLosesNothingBeforeIt) {
  for (const std::size_t bad : {0UL, 4096UL, 300'000UL, 1'200'001UL, kContentBytes - 1}) {
    for (const char* fault : {"eio", "stale"}) {
      if (fault == std::string("stale") && bad == 0) continue;
      const std::string path = files_->Path(fault + ("@" + std::to_string(bad)));
      const std::size_t page = bad / 4096 * 4096;
      for (const unsigned threads : {1U, 3U}) {
        SCOPED_TRACE(path + ", threads " + std::to_string(threads));
        const os::ProcessResult result = Search(path, threads);
        EXPECT_EQ(result.exit_code, 2);
        // Whoever maps is told that the page is lost, and not why.
        const bool stale = fault == std::string("stale");
        if (!stale) {
          EXPECT_EQ(result.error.text, "mrgrep: " + path + ": Input/output error at offset " +
                                           std::to_string(page) + "\n");
          ExpectOutput(result, page);
        } else {
          EXPECT_THAT(result.error.text, ::testing::StartsWith("mrgrep: " + path + ": "));
          EXPECT_THAT(result.error.text, ::testing::HasSubstr(" at offset "));
          // A stale handle is stale for all of a read, but not for what was read before.
          EXPECT_LE(result.output.text.size(), page);
          ExpectBeginning(result, 0);
        }
      }
    }
  }
}

// As a search of a tree would read it if it took this for a local file system: the read before the
// bad page is just short, and the file must not seem to end there.
TEST_P(Faults, BadPlaceIsNotTakenForTheEndOfASmallFile) {
  io::BufferPool pool;
  for (const std::size_t bad : {0UL, 4096UL, 8192UL}) {
    const std::string path = files_->Path("eio@" + std::to_string(bad));
    const os::File file = os::File::Open(path, path, AT_FDCWD);
    EXPECT_EQ(io::LoadWhole(file, 384 << 10, pool), nullptr) << bad;
  }
}

TEST_P(Faults, ShortReadsAreContinued) {
  const std::string path = files_->Path("short");
  const os::ProcessResult result = Search(path, 2);
  if (result.exit_code != 0 && Maps()) {
    // In a mapping a short read fills its page with zeros and loses those behind it.
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error.text, ::testing::StartsWith("mrgrep: " + path + ": "));
    EXPECT_THAT(result.error.text, ::testing::HasSubstr(" at offset "));
    ExpectBeginning(result, 0);
    return;
  }
  EXPECT_EQ(result.error.text, "");
  EXPECT_EQ(result.exit_code, 0);
  ExpectOutput(result, kContentBytes);
}

TEST_P(Faults, SizeThatIsTooSmallHidesNothing) {
  const std::string path = files_->Path("longer");
  const os::ProcessResult result = Search(path, 2);
  if (Maps()) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.error.text,
              "mrgrep: " + path + ": is longer than its size says; needs IO mode read\n");
    ExpectOutput(result, kContentBytes / 2);
    return;
  }
  EXPECT_EQ(result.error.text, "");
  EXPECT_EQ(result.exit_code, 0);
  ExpectOutput(result, kContentBytes);
}

TEST_P(Faults, SizeThatIsTooLargeAddsNothing) {
  const std::string path = files_->Path("shorter");
  const os::ProcessResult result = Search(path, 2);
  if (Maps()) {
    // The kernel fills the last page up with zeros and loses those behind it. What shares a buffer
    // with the zeros looks binary.
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error.text, ::testing::StartsWith("mrgrep: " + path + ": "));
    EXPECT_THAT(result.error.text, ::testing::HasSubstr(" at offset "));
    ExpectBeginning(result, kContentBytes / 2);
    return;
  }
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.error.text, "");
  ExpectOutput(result, kContentBytes);
}

TEST_P(Faults, FileSystemThatGoesAwayLosesNothingThatWasRead) {
  const FaultFileSystem own;  // it does not come back
  ASSERT_TRUE(own.mounted());
  const std::string path = own.Path("vanish@1200000");
  const os::ProcessResult result = Search(path, 2);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error.text, ::testing::StartsWith("mrgrep: " + path + ": "));
  EXPECT_THAT(result.error.text, ::testing::HasSubstr(" at offset "));
  ExpectBeginning(result, 0);
}

// Reads that take 5 ms each: the depth that was asked for is really under way.
TEST(SlowFile, IsReadAtSeveralPlacesAtOnce) {
  const FaultFileSystem files;
  // Reads that take a known time need a file system of our own.
  if (!files.mounted()) GTEST_SKIP() << "needs /dev/fuse and the right to mount";
  const auto most_under_way = [&](const std::string& mode) {
    os::Command command = os::ShellCommand(std::string(MRGREP_BINARY) + " --io=" + mode +
                                           " --stats=json -c line " + files.Path("slow"));
    command.output = os::Stream::Capture();
    command.error = os::Stream::Capture();
    const os::ProcessResult result = os::Run(command);
    EXPECT_EQ(result.output.text, std::to_string(kContentBytes / kLineBytes) + "\n");
    const auto reads = nlohmann::json::parse(result.error.text)["reads_ahead"];
    EXPECT_EQ(reads["started"], (kContentBytes + 65535) / 65536) << mode;
    EXPECT_GT(reads["under_way_mean"], 0) << mode;
    EXPECT_LE(reads["under_way_mean"], reads["under_way_most"]) << mode;
    return reads["under_way_most"].get<int>();
  };
  for (const std::string mode :
       {"uring:buffer=64K", "uring:direct,buffer=64K", "direct:buffer=64K"}) {
    EXPECT_EQ(most_under_way(mode + ",depth=1"), 1) << mode;
    const int of_eight = most_under_way(mode + ",depth=8");
    EXPECT_GT(of_eight, 4) << mode;  // 8, unless the machine stalls
    EXPECT_LE(of_eight, 8) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMode, Faults, ::testing::ValuesIn(kModes), [](const auto& tested) {
  std::string name;
  for (const char c : tested.param) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
});

}  // namespace
}  // namespace mr::test
