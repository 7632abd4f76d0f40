// Whether a search leaves the page cache as it was asked to. On file systems and kernels without
// RWF_DONTCACHE the same holds through the emulation, which is tested beside it everywhere.
#include "io/cache_steering.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "io/drain.h"
#include "io/pipelined_source.h"
#include "os/page_cache.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

constexpr std::size_t kFileBytes = 24 << 20;

// In the working directory, which is on a disk where /tmp may be memory.
class DiskFile {
 public:
  DiskFile() : path_("cache_steering_test." + std::to_string(::getpid())) {
    std::string line(99, 'x');
    line += '\n';
    std::string bytes;
    while (bytes.size() < kFileBytes) bytes += line;
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(::fsync(fd), 0);
    ::close(fd);
  }
  ~DiskFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

  // Evicts all but the beginning. Returns the residency map in pieces of 1 MiB.
  std::vector<std::uint64_t> MakeResident(std::size_t first_bytes) const {
    EXPECT_TRUE(os::Evict(path_).verified_empty());
    const os::File file = os::File::Open(path_, path_, AT_FDCWD);
    file.Advise(POSIX_FADV_RANDOM, 0, 0);
    std::string buffer(1 << 20, 0);
    for (std::size_t at = 0; at < first_bytes; at += buffer.size()) {
      file.ReadAt(buffer.data(), buffer.size(), at);
    }
    return Map();
  }
  std::vector<std::uint64_t> Map() const {
    return os::MapResidency(path_, kFileBytes >> 20).resident_pages;
  }

 private:
  std::string path_;
};

std::uint64_t ReadAll(const std::string& path, const PipelineOptions& options,
                      CacheSteering& steering) {
  os::File file = os::File::Open(path, path, AT_FDCWD);
  BufferPool pool;
  const auto source = MakePipelinedSource(file, file.Info(), 0, options, {}, pool, steering);
  std::uint64_t bytes = 0;
  while (const auto lease = source->Next()) {
    EXPECT_FALSE(lease->CheckDamage());
    bytes += lease->block().bytes.size();
  }
  return bytes;
}

const PipelineOptions kByThreads{1 << 20, 4, false, false, "read"};
const PipelineOptions kByRing{1 << 20, 4, false, true, "uring"};

std::uint64_t Sum(const std::vector<std::uint64_t>& pages) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : pages) sum += count;
  return sum;
}

TEST(CacheSteering, DropLeavesResidencyAsItWas) {
  const DiskFile file;
  for (const bool emulate : {false, true}) {
    for (const PipelineOptions& options : {kByThreads, kByRing}) {
      SCOPED_TRACE(std::string(options.mode) + (emulate ? ", emulated" : ""));
      const std::vector<std::uint64_t> before = file.MakeResident(5 << 20);
      EXPECT_EQ(Sum(before), (5U << 20) / os::PageBytes());
      CacheSteering steering(CachePolicy::kDrop, emulate);
      EXPECT_GE(ReadAll(file.path(), options, steering), kFileBytes);
      EXPECT_EQ(file.Map(), before);
      EXPECT_EQ(steering.totals().resident, 5U << 20);
      EXPECT_EQ(steering.totals().added, 0U);
      EXPECT_GE(steering.totals().passed, kFileBytes - (5U << 20));
    }
  }
}

TEST(CacheSteering, KeepFillsWhatIsFree) {
  const DiskFile file;
  file.MakeResident(5 << 20);
  CacheSteering steering(CachePolicy::kKeep);
  EXPECT_GE(ReadAll(file.path(), kByThreads, steering), kFileBytes);
  // This test is far from filling the machine's memory.
  EXPECT_GE(Sum(file.Map()), kFileBytes / os::PageBytes());
  EXPECT_EQ(steering.totals().passed, 0U);
}

TEST(CacheSteering, NormalLeavesItToTheKernel) {
  const DiskFile file;
  file.MakeResident(0);
  CacheSteering steering(CachePolicy::kNormal);
  EXPECT_GE(ReadAll(file.path(), kByRing, steering), kFileBytes);
  EXPECT_GE(Sum(file.Map()), kFileBytes / os::PageBytes());
}

TEST(CacheSteering, DirectReadsLeaveNoTrace) {
  const DiskFile file;
  const std::vector<std::uint64_t> before = file.MakeResident(3 << 20);
  CacheSteering steering(CachePolicy::kNormal);
  for (const bool ring : {false, true}) {
    EXPECT_GE(ReadAll(file.path(), {1 << 20, 4, true, ring, "direct"}, steering), kFileBytes);
    EXPECT_EQ(file.Map(), before);
  }
}

// A neighbour that reads the same standard input later wants its read-ahead back.
TEST(CacheSteering, LeavesTheAdviceOfStandardInputAlone) {
  const DiskFile file;
  const auto read_ahead_of = [&](bool after_search) {
    const int fd = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    const int saved = ::dup(STDIN_FILENO);
    EXPECT_EQ(::dup2(fd, STDIN_FILENO), STDIN_FILENO);
    if (after_search) {
      os::File input = os::File::StandardInput("input");
      SourceFactory factory(Request("uring", {}, CachePolicy::kDrop));
      EXPECT_EQ(Drain(*factory.Open(input, input.Info())).bytes.size(),
                static_cast<std::size_t>(input.Info().size_bytes));
    }
    EXPECT_EQ(::dup2(saved, STDIN_FILENO), STDIN_FILENO);
    ::close(saved);
    EXPECT_TRUE(os::Evict(file.path()).verified_empty());
    std::string page(os::PageBytes(), 0);
    for (off_t at = 0; at < 4; ++at) {
      EXPECT_GT(::pread(fd, page.data(), page.size(), at * static_cast<off_t>(page.size())), 0);
    }
    ::close(fd);
    return Sum(file.Map());
  };
  EXPECT_EQ(read_ahead_of(true), read_ahead_of(false));
}

TEST(CacheSteering, KeepsToTheBufferThatTheUserNames) {
  const DiskFile file;
  os::File opened = os::File::Open(file.path(), file.path(), AT_FDCWD);
  SourceFactory factory(Request("read:buffer=8K", {}, CachePolicy::kDrop));
  const auto source = factory.Open(opened, opened.Info());
  EXPECT_EQ(source->policy(), CachePolicy::kDrop);
  for (int i = 0; i < 10; ++i) EXPECT_LE(source->Next()->block().bytes.size(), 8192U + 100);
}

TEST(CacheSteering, SmallFilesAreSparedToo) {
  const DiskFile file;
  ASSERT_EQ(::truncate(file.path().c_str(), 700'000), 0);
  const std::vector<std::uint64_t> before = file.MakeResident(0);
  for (const char* spec : {"auto", "read"}) {
    os::File opened = os::File::Open(file.path(), file.path(), AT_FDCWD);
    SourceFactory factory(Request(spec, {}, CachePolicy::kDrop));
    const auto source = factory.Open(opened, opened.Info());
    EXPECT_EQ(Drain(*source).bytes.size(), 700'000U);
    EXPECT_EQ(file.Map(), before) << spec;
  }
}

// The data set is all files of the search, small ones and those not opened yet too.
TEST(CacheSteering, AutoKeepsOnceTheDataSetExceedsTheCache) {
  const DiskFile file;
  const auto policy = [&](std::uint64_t capacity, std::uint64_t all, std::string& why) {
    os::File opened = os::File::Open(file.path(), file.path(), AT_FDCWD);
    SourceRequest request = Request("auto");
    request.cache_capacity = capacity;
    request.count_bytes = [all](std::uint64_t) { return all; };
    SourceFactory factory(request);
    return factory.Open(opened, opened.Info(), &why)->policy();
  };
  std::string why;
  EXPECT_EQ(policy(kFileBytes - 1, 0, why), CachePolicy::kKeep);
  EXPECT_NE(why.find("the files are more than the page cache can hold"), std::string::npos) << why;
  EXPECT_EQ(policy(2 * kFileBytes, 3 * kFileBytes, why), CachePolicy::kKeep);
  EXPECT_EQ(policy(2 * kFileBytes, 2 * kFileBytes, why), CachePolicy::kNormal);
  EXPECT_EQ(policy(100 * kFileBytes, 200 * kFileBytes, why), CachePolicy::kNormal) << "not asked";
}

// The kernel reads ahead of one sequence of reads, not of several.
TEST(CacheSteering, AutoReadsAheadByItselfOnlyWhereTheKernelDoesNot) {
  const DiskFile file;
  for (const auto& [policy, most] : {std::pair(std::optional<CachePolicy>(), 1U),
                                     std::pair(std::optional(CachePolicy::kNormal), 1U),
                                     std::pair(std::optional(CachePolicy::kDrop), 4U)}) {
    file.MakeResident(0);
    SourceRequest request = Request("auto", {}, policy);
    request.cache_capacity = 1 << 30;
    SourceFactory factory(request);
    os::File opened = os::File::Open(file.path(), file.path(), AT_FDCWD);
    const auto source = factory.Open(opened, opened.Info());
    EXPECT_GE(Drain(*source).bytes.size(), kFileBytes);
    EXPECT_GT(source->depth().started, 0U);
    EXPECT_LE(source->depth().most, most);
  }
}

TEST(CacheSteering, AutoLeavesTheCacheToTheKernelWhenTheUserSaysSo) {
  const DiskFile file;
  os::File opened = os::File::Open(file.path(), file.path(), AT_FDCWD);
  SourceRequest request = Request("auto", {}, CachePolicy::kNormal);
  request.cache_capacity = kFileBytes - 1;
  SourceFactory factory(request);
  EXPECT_EQ(factory.Open(opened, opened.Info())->policy(), CachePolicy::kNormal);
}

}  // namespace
}  // namespace mr::io
