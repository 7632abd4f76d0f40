// What a search of more than fits does to a file that somebody else has in the page cache: counted
// in pages, in a memory group of our own, beside GNU grep.
#include "os/page_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "os/memory_limit.h"
#include "os/process.h"
#include "os/text_file.h"

namespace mr::test {
namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;
constexpr std::size_t kLimit = 96 * kMega;
constexpr std::size_t kNeighbour = 16 * kMega;
const std::uint64_t kNeighbourPages = kNeighbour / os::PageBytes();
constexpr std::size_t kData = 200 * kMega;

// In the working directory, which is on a disk where /tmp may be memory.
class DiskFile {
 public:
  DiskFile(const std::string& name, std::size_t bytes)
      : path_(name + "." + std::to_string(::getpid())) {
    std::string text;
    while (text.size() < kMega) text += "a line of text that is not what is searched for\n";
    text.resize(kMega);
    std::ofstream file(path_, std::ios::binary);
    for (std::size_t at = 0; at < bytes; at += kMega) file << text;
    file.close();
    Evict();
  }
  ~DiskFile() { ::unlink(path_.c_str()); }

  void Evict() const { EXPECT_TRUE(os::Evict(path_).verified_empty()); }
  std::uint64_t ResidentPages() const { return *os::MeasureResidency(path_).resident_pages; }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// Whether the kernel pages out what has not been used for a while, in groups, too, that have room
// (DAMON's schemes, Documentation/admin-guide/mm/damon). It takes a folio now and then.
bool MachinePagesOut() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const auto& daemon : fs::directory_iterator("/sys/kernel/mm/damon/admin/kdamonds", error)) {
    if (os::ReadText(daemon.path() / "state").value_or("") == "on\n") return true;
  }
  return false;
}

// Whether `check` holds: at once, or, where pages can go for the machine's own reasons, in one of a
// few attempts. What a search does to the cache it does every time.
template <typename Check>
bool Holds(Check check) {
  constexpr int kAttempts = 8;
  for (int attempt = 1; !check(); ++attempt) {
    if (attempt == kAttempts || !MachinePagesOut()) return false;
  }
  return true;
}

class PageCache : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!os::MeasureResidency("/proc/self/exe").resident_pages) {
      // Before Linux 6.5 no page can be counted.
      GTEST_SKIP() << "needs a kernel that tells what is resident";
    }
    try {
      limit_ = std::make_unique<os::MemoryLimit>(groups_, kLimit);
    } catch (const os::CgroupError& error) {
      // Without a limit the machine's own memory would have to be filled.
      GTEST_SKIP() << "needs a memory control group: " << error.what();
    }
    neighbour_ = std::make_unique<DiskFile>("neighbour", kNeighbour);
    data_ = std::make_unique<DiskFile>("data", kData);
  }

  // In the group. Returns what was printed.
  std::string Run(const std::string& script) const {
    os::Command command = os::ShellCommand(script);
    command.cgroup_procs_files = groups_.procs_files();
    command.output = os::Stream::Capture();
    command.error = os::Stream::Capture();
    const os::ProcessResult result = os::Run(command);
    EXPECT_FALSE(result.start_failure) << result.start_failure->message();
    return result.output.text + result.error.text;
  }
  // The neighbour's pages that are left when it has been read and `script` has run.
  std::uint64_t NeighboursPagesAfter(const std::string& script) const {
    EXPECT_TRUE(Holds([&] {
      limit_->Reclaim();
      neighbour_->Evict();
      data_->Evict();
      Run("cat " + neighbour_->path() + " >/dev/null");
      return neighbour_->ResidentPages() == kNeighbourPages;
    })) << "the neighbour does not fit";
    EXPECT_EQ(Run(script), "0\n");
    return neighbour_->ResidentPages();
  }
  bool Spares(const std::string& script) const {
    return Holds([&] { return NeighboursPagesAfter(script) == kNeighbourPages; });
  }
  std::string Search(const std::string& program) const {
    return program + " -c needle " + data_->path();
  }

  os::GroupSet groups_;
  std::unique_ptr<os::MemoryLimit> limit_;
  std::unique_ptr<DiskFile> neighbour_;
  std::unique_ptr<DiskFile> data_;
};

TEST_F(PageCache, OfANeighbourSurvivesASearchThatKeepsIt) {
  EXPECT_LT(NeighboursPagesAfter(Search("grep")), kNeighbourPages / 10)
      << "the limit limits nothing";
  const std::string mrgrep = MRGREP_BINARY;
  for (const char* options : {"--cache=keep", "--cache=drop", "--io=uring --cache=keep",
                              "--io=read --cache=drop", "--io=direct"}) {
    EXPECT_TRUE(Spares(Search(mrgrep + " " + options))) << options;
    // What keep adds is what was free; drop adds nothing.
    const bool keeps = std::string(options).find("keep") != std::string::npos;
    EXPECT_EQ(data_->ResidentPages() > 0, keeps) << options;
  }
}

// Nobody has to ask for it when the data cannot fit, in one file or in many.
TEST_F(PageCache, OfANeighbourSurvivesASearchThatExceedsTheCache) {
  EXPECT_TRUE(Spares(Search(MRGREP_BINARY)));
  EXPECT_NE(Run(Search(MRGREP_BINARY " --debug")).find("more than the page cache can hold"),
            std::string::npos);
}

// What was read before has left the marks of its read-ahead.
TEST_F(PageCache, StaysAsItWasThoughReadAheadWasUnderWay) {
  const std::string mrgrep = MRGREP_BINARY;
  for (const char* options : {"--cache=drop", "--cache=drop --io=read", "--io=direct"}) {
    EXPECT_TRUE(Holds([&] {
      data_->Evict();
      Run("head -c 3000000 " + data_->path() + " >/dev/null");
      const std::uint64_t before = data_->ResidentPages();
      EXPECT_GT(before, 3000000 / os::PageBytes());
      EXPECT_EQ(Run(Search(mrgrep + " " + options)), "0\n");
      return data_->ResidentPages() == before;
    })) << options;
  }
}

// A line of three times the memory, which is searched where it lies, and printed in pieces.
TEST_F(PageCache, HoldsALineThatDoesNotFitIntoMemory) {
  {
    std::fstream file(data_->path(), std::ios::binary | std::ios::in | std::ios::out);
    const std::string piece(kMega, 'x');
    for (std::size_t at = 0; at < kData; at += kMega) file << piece;
    file.seekp(static_cast<std::streamoff>(kData / 2));
    file << "needle";
    file.seekp(static_cast<std::streamoff>(kData - 1));
    file << '\n';
    ASSERT_TRUE(file.good());
  }
  const std::string mrgrep = MRGREP_BINARY;
  EXPECT_EQ(Run(Search(mrgrep)), "1\n");
  EXPECT_EQ(Run(Search(mrgrep + " -v")), "0\n");
  EXPECT_EQ(Run(mrgrep + " -ob needle " + data_->path()), std::to_string(kData / 2) + ":needle\n");
  EXPECT_EQ(Run(mrgrep + " needle " + data_->path() + " | wc -c"), std::to_string(kData) + "\n");
  EXPECT_NE(Run(Search(mrgrep + " --debug")).find("looks like one line"), std::string::npos);
}

// Whether a line is text may depend on what stands behind its block; looking there must not fill
// the cache, either.
TEST(PageCacheOfMatches, StaysAsItWasWhateverTheBlocksAre) {
  if (!os::MeasureResidency("/proc/self/exe").resident_pages) {
    // Before Linux 6.5 no page can be counted.
    GTEST_SKIP() << "needs a kernel that tells what is resident";
  }
  const DiskFile file("matches", 3 * kMega);
  for (const char* options :
       {"--io=direct:buffer=64K", "--io=direct:buffer=100K -j2", "--io=uring:buffer=64K,direct",
        "--cache=drop --io=read:buffer=64K", "--cache=drop --io=uring:buffer=100K -j2",
        "--cache=drop --io=read:buffer=4K -j3"}) {
    file.Evict();
    os::Command command =
        os::ShellCommand(std::string(MRGREP_BINARY) + " " + options + " line " + file.path());
    command.output = os::Stream::Null();
    const os::ProcessResult result = os::Run(command);
    EXPECT_EQ(result.shell_status(), 0) << options;
    EXPECT_EQ(file.ResidentPages(), 0U) << options;
  }
}

}  // namespace
}  // namespace mr::test
