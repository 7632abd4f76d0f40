#include "os/page_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>

#include "os/descriptor.h"
#include "os/error.h"
#include "os/mount.h"
#include "scratch.h"

namespace mr::os {
namespace {

constexpr long kCachestatCall = 451;

bool KernelHasCachestat() {
  ::syscall(kCachestatCall, -1, nullptr, nullptr, 0U);
  return errno != ENOSYS;
}

bool HasDisk(const std::string& path) {
  const auto mount = FindMount(path);
  return mount && mount->type != "tmpfs" && mount->type != "ramfs" && mount->type != "rootfs";
}

// From here on cachestat(2) fails with `error_number` in this process.
bool RefuseCachestat(int error_number) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCachestatCall, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error_number)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Reads one range without letting read-ahead bring in its neighbours.
void ReadOnly(const std::string& path, std::uint64_t offset, std::size_t bytes) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(fd);
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_RANDOM);
  std::string buffer(bytes, '\0');
  ASSERT_EQ(::pread(fd.get(), buffer.data(), bytes, static_cast<off_t>(offset)),
            static_cast<ssize_t>(bytes));
}

class PageCache : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!KernelHasCachestat()) std::cout << "missing: cachestat(2); mincore(2) is used\n";
    if (!HasDisk(scratch_.directory())) std::cout << "missing: a disk; nothing can be evicted\n";
  }
  const bool has_disk_ = HasDisk("/var/tmp");
  Scratch scratch_;
};

TEST_F(PageCache, CountsPagesWithRemainder) {
  EXPECT_EQ(PagesIn(0), 0U);
  EXPECT_EQ(PagesIn(1), 1U);
  EXPECT_EQ(PagesIn(PageBytes()), 1U);
  EXPECT_EQ(PagesIn(PageBytes() + 1), 2U);
  EXPECT_EQ(PagesIn(~std::uint64_t{0}), (~std::uint64_t{0}) / PageBytes() + 1);
}

TEST_F(PageCache, SeesWhatWasJustWritten) {
  const std::string path = scratch_.Write("file", std::string(10 * PageBytes() + 1, 'x'));
  const Residency residency = MeasureResidency(path);
  EXPECT_EQ(residency.total_pages, 11U);
  EXPECT_EQ(residency.resident_pages, 11U);
  EXPECT_NE(residency.source, ResidencySource::kUnknown);
  EXPECT_EQ(residency.why_unknown, "");
  if (residency.source == ResidencySource::kCachestat && has_disk_) {
    EXPECT_EQ(residency.dirty_pages.value() + residency.writeback_pages.value(), 11U);
  }
}

TEST_F(PageCache, EvictsDirtyFileAndVerifies) {
  const std::string path = scratch_.Write("file", std::string(300 * PageBytes() + 5, 'x'));
  const Eviction eviction = Evict(path);
  EXPECT_EQ(eviction.total_pages, 301U);
  EXPECT_EQ(eviction.pages_before, 301U);
  if (has_disk_) {
    EXPECT_EQ(eviction.pages_left, 0U);
    EXPECT_TRUE(eviction.verified_empty());
    EXPECT_EQ(MeasureResidency(path).resident_pages, 0U);
    EXPECT_EQ(eviction.wrote_back, KernelHasCachestat());
    EXPECT_FALSE(Evict(path).wrote_back);
  } else {
    EXPECT_EQ(eviction.pages_left, 301U);
    EXPECT_FALSE(eviction.verified_empty());
  }
}

TEST_F(PageCache, SeesThroughAnOverlay) {
  for (const char* name : {"lower", "upper", "work", "merged"}) {
    std::filesystem::create_directory(scratch_.Path(name));
  }
  const std::string below = scratch_.Write("lower/file", std::string(20 * PageBytes(), 'x'));
  const std::string options = "lowerdir=" + scratch_.Path("lower") +
                              ",upperdir=" + scratch_.Path("upper") +
                              ",workdir=" + scratch_.Path("work");
  // A mount namespace of its own, which vanishes with the child.
  const std::string answer = InChild(false, [&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("overlay", scratch_.Path("merged").c_str(), "overlay", 0, options.c_str()) != 0) {
      std::cout << "missing: the right to mount an overlay" << std::endl;
      return "";
    }
    const std::string path = scratch_.Path("merged/file");
    if (MeasureResidency(path).resident_pages != 20U) return "pages in the cache are not seen";
    const Eviction eviction = Evict(path);
    if (eviction.pages_before != 20U) return "pages to be evicted are not seen";
    if (has_disk_ && !eviction.verified_empty()) return "not evicted";
    if (has_disk_ && MeasureResidency(below).resident_pages != 0U) return "still there below";
    return "";
  });
  EXPECT_EQ(answer, "");
}

TEST_F(PageCache, SaysThatMappedPagesStay) {
  const std::string path = scratch_.Write("file", std::string(64 * PageBytes(), 'x'));
  Evict(path);
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* address =
      ::mmap(nullptr, 64 * PageBytes(), PROT_READ, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
  ASSERT_NE(address, MAP_FAILED);
  const Eviction eviction = Evict(path, std::chrono::milliseconds(20));
  EXPECT_EQ(eviction.pages_left, 64U);
  EXPECT_FALSE(eviction.verified_empty());
  ::munmap(address, 64 * PageBytes());
  EXPECT_EQ(Evict(path).verified_empty(), has_disk_);
}

TEST_F(PageCache, DoesNotLoadWhatItMeasures) {
  const std::string path = scratch_.Write("file", std::string(64 * PageBytes(), 'x'));
  Evict(path);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(MeasureResidency(path).resident_pages, has_disk_ ? 0U : 64U);
  }
}

TEST_F(PageCache, ShowsWhichPartsAreResident) {
  constexpr std::uint64_t kPages = 1024;
  const std::string path = scratch_.Write("file", std::string(kPages * PageBytes(), 'x'));
  ASSERT_EQ(Evict(path).verified_empty(), has_disk_);
  ReadOnly(path, 300 * PageBytes(), 16 * PageBytes());
  const ResidencyMap map = MapResidency(path, 4);
  ASSERT_TRUE(map.known());
  EXPECT_EQ(map.file_bytes, kPages * PageBytes());
  EXPECT_EQ(map.bucket_pages, (std::vector<std::uint64_t>{256, 256, 256, 256}));
  if (has_disk_) {
    EXPECT_EQ(map.resident_pages, (std::vector<std::uint64_t>{0, 16, 0, 0}));
  } else {
    EXPECT_EQ(map.resident_pages, map.bucket_pages);
  }
}

TEST_F(PageCache, MapsFilesSmallerThanTheirBuckets) {
  const std::string path = scratch_.Write("file", std::string(2 * PageBytes() + 1, 'x'));
  const ResidencyMap map = MapResidency(path, 100);
  EXPECT_EQ(map.bucket_pages, (std::vector<std::uint64_t>{1, 1, 1}));
  EXPECT_EQ(map.resident_pages, (std::vector<std::uint64_t>{1, 1, 1}));
  const ResidencyMap uneven = MapResidency(path, 2);
  EXPECT_EQ(uneven.bucket_pages, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(MapResidency(scratch_.Write("empty", ""), 8).bucket_pages.empty());
}

TEST_F(PageCache, CutsRangesAtTheEndOfTheFile) {
  const std::string path = scratch_.Write("file", std::string(10 * PageBytes(), 'x'));
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto pages = [&](std::uint64_t offset, std::uint64_t length) {
    const Residency residency = MeasureResidency(fd.get(), path, offset, length);
    EXPECT_EQ(residency.resident_pages, residency.total_pages);
    return residency.total_pages;
  };
  EXPECT_EQ(pages(0, 1), 1U);
  EXPECT_EQ(pages(PageBytes() - 1, 2), 2U);
  EXPECT_EQ(pages(9 * PageBytes(), 100 * PageBytes()), 1U);
  EXPECT_EQ(pages(10 * PageBytes(), 5), 0U);
  EXPECT_EQ(pages(1'000 * PageBytes(), ~std::uint64_t{0}), 0U);
  EXPECT_EQ(pages(0, 0), 0U);
}

TEST_F(PageCache, KnowsThatAnEmptyFileHasNothingResident) {
  const std::string path = scratch_.Write("empty", "");
  EXPECT_EQ(MeasureResidency(path).resident_pages, 0U);
  EXPECT_TRUE(Evict(path).verified_empty());
}

TEST_F(PageCache, KnowsNothingOfWhatIsNoRegularFile) {
  const Residency residency = MeasureResidency("/dev/null");
  EXPECT_FALSE(residency.resident_pages);
  EXPECT_EQ(residency.why_unknown, "not a regular file");
  EXPECT_FALSE(MeasureResidency(scratch_.directory()).resident_pages);
  const std::string fifo = scratch_.Path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(MeasureResidency(fifo).resident_pages);  // and does not wait for a writer
}

TEST_F(PageCache, NamesFileThatCannotBeOpened) {
  for (const auto& call : {+[](const std::string& path) { MeasureResidency(path); },
                           +[](const std::string& path) { MapResidency(path, 3); },
                           +[](const std::string& path) { Evict(path); }}) {
    try {
      call(scratch_.Path("missing"));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const IoError& error) {
      EXPECT_EQ(error.what(), scratch_.Path("missing") + ": No such file or directory");
    }
  }
}

// What somebody sees who neither owns the file nor could write it: never a made-up number.
std::string CheckStranger(const std::string& path) {
  const Residency residency = MeasureResidency(path);
  if (residency.resident_pages) return "claims to know the residency";
  if (residency.source != ResidencySource::kUnknown) return "claims a source";
  if (residency.why_unknown.empty()) return "gives no reason";
  const ResidencyMap map = MapResidency(path, 4);
  if (map.known() || !map.resident_pages.empty()) return "claims to know the map";
  const Eviction eviction = Evict(path);
  if (eviction.pages_left || eviction.verified_empty()) return "claims a verified eviction";
  if (eviction.why_unknown.empty()) return "gives no reason for the eviction";
  return "";
}

TEST_F(PageCache, IsUnknownToThoseWhoCouldNotWriteTheFile) {
  const std::string path = scratch_.Write("file", std::string(8 * PageBytes(), 'x'));
  if (IsRoot()) {
    EXPECT_EQ(InChild(true, [&] { return CheckStranger(path); }), "");
    EXPECT_EQ(InChild(true,
                      [&]() -> std::string {
                        if (!RefuseCachestat(ENOSYS)) return "seccomp refused";
                        return CheckStranger(path);
                      }),
              "");
  } else {
    std::cout << "missing: root, to become another user; /etc/passwd is taken instead\n";
    EXPECT_EQ(CheckStranger("/etc/passwd"), "");
  }
}

TEST_F(PageCache, FallsBackToMincoreForTheOwner) {
  const std::string path = scratch_.Write("file", std::string(512 * PageBytes() + 1, 'x'));
  ASSERT_EQ(Evict(path).verified_empty(), has_disk_);
  ReadOnly(path, 100 * PageBytes(), 7 * PageBytes());
  const auto expected = MeasureResidency(path).resident_pages;
  const bool has_disk = has_disk_;
  EXPECT_EQ(InChild(false,
                    [&]() -> std::string {
                      if (!RefuseCachestat(ENOSYS)) return "seccomp refused";
                      const Residency all = MeasureResidency(path);
                      if (all.source != ResidencySource::kMincore) return "another source";
                      if (all.total_pages != 513) return "wrong total";
                      if (all.resident_pages != expected) return "wrong count";
                      if (has_disk && expected != 7U) return "wrong reference";
                      if (all.dirty_pages) return "claims to know dirty pages";
                      const ResidencyMap map = MapResidency(path, 9);
                      if (has_disk && map.resident_pages.at(1) != 7) return "wrong map";
                      const Eviction eviction = Evict(path);
                      if (eviction.verified_empty() != has_disk) return "eviction not verified";
                      return "";
                    }),
            "");
}

TEST_F(PageCache, IsUnknownWhenTheKernelForbidsTheQuestion) {
  const std::string path = scratch_.Write("file", std::string(8 * PageBytes(), 'x'));
  EXPECT_EQ(InChild(false,
                    [&]() -> std::string {
                      if (!RefuseCachestat(EPERM)) return "seccomp refused";
                      return CheckStranger(path);
                    }),
            "");
}

}  // namespace
}  // namespace mr::os
