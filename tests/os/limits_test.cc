// Real control groups, where this machine lets us make them: the limits hold, and nothing is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "os/cgroup.h"
#include "os/disk_limit.h"
#include "os/error.h"
#include "os/memory_limit.h"
#include "os/page_cache.h"
#include "os/process.h"
#include "os/text_file.h"
#include "scratch.h"

namespace mr::os {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Why no memory group can be made here, or nothing.
std::string MissingForRealGroups() {
  if (CgroupVersion(Controller::kMemory) == 0) return "a memory controller";
  try {
    GroupSet groups;
    groups.For(Controller::kMemory);
    return "";
  } catch (const CgroupError& error) {
    return std::string("the right to make memory groups (") + error.what() + ")";
  }
}

TEST(Cgroup, VanishesWithItsOwnersAndNotBefore) {
  if (const std::string missing = MissingForRealGroups(); !missing.empty()) {
    std::cout << "missing: " << missing << "\n";
    GroupSet groups;
    EXPECT_THROW(groups.For(Controller::kMemory), CgroupError);
    return;
  }
  std::string directory;
  {
    std::optional<MemoryLimit> limit;
    {
      GroupSet groups;
      limit.emplace(groups, std::uint64_t{64} << 20);
      directory = limit->group().directory();
    }
    EXPECT_TRUE(fs::exists(directory));
  }
  EXPECT_FALSE(fs::exists(directory));
}

TEST(Cgroup, IsReclaimedAfterItsOwnerWasKilled) {
  if (const std::string missing = MissingForRealGroups(); !missing.empty()) {
    std::cout << "missing: " << missing << "\n";
    EXPECT_EQ(RemoveStaleGroups(), 0U);
    return;
  }
  const std::string directory = InChild(false, []() -> std::string {
    auto* groups = new GroupSet;  // never destroyed: the process just ends
    return groups->For(Controller::kMemory)->directory();
  });
  ASSERT_TRUE(fs::exists(directory)) << directory;
  GroupSet next;
  const auto group = next.For(Controller::kMemory);
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_TRUE(fs::exists(group->directory()));
}

TEST(MemoryLimit, HoldsTheChildAndCountsItsRefaults) {
  if (const std::string missing = MissingForRealGroups(); !missing.empty()) {
    std::cout << "missing: " << missing << "\n";
    GroupSet groups;
    EXPECT_THROW(MemoryLimit(groups, std::uint64_t{64} << 20), CgroupError);
    return;
  }
  constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;
  GroupSet groups;
  MemoryLimit limit(groups, kLimit);
  EXPECT_EQ(limit.limit_bytes(), kLimit);
  const Scratch scratch;
  const std::string path = scratch.Write("data", std::string(2 * kLimit, 'x'));
  const Eviction eviction = Evict(path);
  if (!eviction.verified_empty()) {
    std::cout << "missing: a disk below /var/tmp, so that nothing can be evicted\n";
    return;
  }
  Command read = ShellCommand("cat " + path + " > /dev/null");
  read.cgroup_procs_files = groups.procs_files();
  const Counters before = limit.ReadCounters();
  for (int pass = 0; pass < 2; ++pass) {
    const ProcessResult result = os::Run(read);
    ASSERT_TRUE(result.succeeded());
    EXPECT_GE(result.io.value().read_bytes, pass == 0 ? 2 * kLimit : kLimit);
    EXPECT_LE(limit.ChargedBytes(), kLimit);
  }
  const Counters difference = Difference(limit.ReadCounters(), before);
  EXPECT_GT(Find(difference, "workingset_refault_file").value_or(0), 1000);
  EXPECT_GT(Find(difference, "limit_hits").value_or(0), 0);
  EXPECT_GT(limit.PeakBytes().value_or(kLimit), kLimit / 2);
  EXPECT_LE(MeasureResidency(path).resident_pages.value_or(0), kLimit / PageBytes());
  limit.Reclaim();
  EXPECT_LT(limit.ChargedBytes(), kLimit / 2);
}

TEST(MemoryLimit, KillsWhatCannotFit) {
  if (const std::string missing = MissingForRealGroups(); !missing.empty()) {
    std::cout << "missing: " << missing << "\n";
    EXPECT_EQ(RemoveStaleGroups(), 0U);
    return;
  }
  GroupSet groups;
  const MemoryLimit limit(groups, std::uint64_t{24} << 20);
  Command hungry;
  hungry.arguments = {"perl", "-e", "my $x = 'x' x 100_000_000; print length $x"};
  hungry.output = Stream::Capture();
  hungry.cgroup_procs_files = groups.procs_files();
  const ProcessResult result = os::Run(hungry);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.output.bytes, 0U);
  EXPECT_GE(Find(limit.ReadCounters(), "oom_kills").value_or(1), 1);
}

TEST(DiskLimit, FindsTheDiskOfAPartition) {
  const Scratch sys;
  sys.Write("devices/pci/block/sda/dev", "8:0\n");
  sys.Write("devices/pci/block/sda/sda2/dev", "8:2\n");
  sys.Write("devices/pci/block/sda/sda2/partition", "2\n");
  sys.Write("devices/virtual/block/dm-0/dev", "253:0\n");
  fs::create_directories(sys.Path("dev/block"));
  fs::create_symlink("../../devices/pci/block/sda", sys.Path("dev/block/8:0"));
  fs::create_symlink("../../devices/pci/block/sda/sda2", sys.Path("dev/block/8:2"));
  fs::create_symlink("../../devices/virtual/block/dm-0", sys.Path("dev/block/253:0"));
  const auto disk = DiskOfDevice(8, 2, sys.directory());
  ASSERT_TRUE(disk);
  EXPECT_EQ(disk->name, "sda");
  EXPECT_EQ(disk->id(), "8:0");
  EXPECT_EQ(DiskOfDevice(8, 0, sys.directory()).value().id(), "8:0");
  EXPECT_EQ(DiskOfDevice(253, 0, sys.directory()).value().name, "dm-0");
  EXPECT_FALSE(DiskOfDevice(9, 9, sys.directory()));
}

TEST(DiskLimit, RefusesFileSystemsWithoutADisk) {
  try {
    FindDisk("/proc/self");
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(),
                 "/proc/self: its file system (proc) is not on one disk, so the rate of reads "
                 "cannot be limited");
  }
  EXPECT_THROW(FindDisk("/no/such/path"), IoError);
}

TEST(DiskLimit, IsTakenByTheKernel) {
  const Scratch scratch;
  std::string missing;
  std::optional<Disk> disk;
  try {
    disk = FindDisk(scratch.directory());
  } catch (const IoError& error) {
    missing = error.what();
  }
  GroupSet groups;
  if (disk) {
    try {
      const DiskLimit limit(groups, *disk, 50'000'000);
      const std::string file =
          limit.group().version() == 2 ? "io.max" : "blkio.throttle.read_bps_device";
      EXPECT_THAT(limit.group().Read(file), HasSubstr("50000000"));
      EXPECT_THAT(limit.group().Read(file), StartsWith(disk->id() + " "));
      Command command = ShellCommand("cat /proc/self/cgroup");
      command.output = Stream::Capture();
      command.cgroup_procs_files = groups.procs_files();
      EXPECT_THAT(os::Run(command).output.text,
                  HasSubstr(fs::path(limit.group().directory()).filename().string()));
      return;
    } catch (const CgroupError& error) {
      missing = error.what();
    }
  }
  std::cout << "missing: a disk whose reads can be limited (" << missing << ")\n";
  EXPECT_THROW(DiskLimit(groups, "/proc/self", 1), IoError);
}

}  // namespace
}  // namespace mr::os
