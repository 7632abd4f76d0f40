#include "os/counters.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <string>

#include "os/error.h"
#include "os/machine.h"
#include "os/mount.h"
#include "os/page_cache.h"
#include "os/text_file.h"
#include "scratch.h"

namespace mr::os {
namespace {

TEST(Counters, AreReadFromNameValueLines) {
  const Counters counters =
      ParseCounters("pgfault 12\nrchar: 34\nnegative -5\nno-number x\n\nlonely\n 7\nlast 99");
  EXPECT_EQ(counters, (Counters{{"pgfault", 12}, {"rchar", 34}, {"negative", -5}, {"last", 99}}));
  EXPECT_TRUE(ParseCounters("").empty());
  EXPECT_TRUE(ParseCounters("too-large 99999999999999999999\n").empty());
}

TEST(Counters, AreSubtractedWhereBothAreKnown) {
  const Counters difference =
      Difference({{"a", 10}, {"b", 5}, {"new", 1}}, {{"a", 4}, {"b", 7}, {"old", 3}});
  EXPECT_EQ(difference, (Counters{{"a", 6}, {"b", -2}}));
  EXPECT_EQ(Find(difference, "a"), 6);
  EXPECT_EQ(Find(difference, "old"), std::nullopt);
}

TEST(Counters, OfThisMachineGoForward) {
  const Counters before = ReadVmstat();
  ASSERT_TRUE(Find(before, "pgfault"));
  std::string memory(std::size_t{16} << 20, 'x');
  const Counters difference = Difference(ReadVmstat(), before);
  EXPECT_GT(Find(difference, "pgfault").value(), 0) << memory.size();
  EXPECT_TRUE(Find(before, "workingset_refault_file"));
}

TEST(Counters, OfMissingFilesAreEmpty) {
  EXPECT_TRUE(ReadVmstat("/no/such/file").empty());
  EXPECT_TRUE(ReadPressure("/no/such/directory").empty());
}

TEST(Counters, OfPressureAreTotals) {
  const Scratch scratch;
  scratch.Write("io",
                "some avg10=0.00 avg60=0.00 avg300=0.07 total=3686619\n"
                "full avg10=0.00 avg60=0.00 avg300=0.07 total=3467905\n");
  scratch.Write("cpu", "some avg10=1.00 avg60=0.00 avg300=0.00 total=17\n");
  EXPECT_EQ(ReadPressure(scratch.directory()),
            (Counters{{"io.some", 3686619}, {"io.full", 3467905}, {"cpu.some", 17}}));
}

TEST(TextFile, ReadsFilesThatClaimToBeEmpty) {
  EXPECT_FALSE(ReadText("/proc/self/status").value().empty());
  EXPECT_TRUE(ReadLine("/proc/self/comm").value().starts_with("os_test"));
  EXPECT_FALSE(ReadText("/no/such/file"));
  EXPECT_EQ(errno, ENOENT);
  const Scratch scratch;
  EXPECT_EQ(ReadLine(scratch.Write("one", "only line")), "only line");
  EXPECT_EQ(ReadLine(scratch.Write("none", "")), "");
  EXPECT_EQ(ReadText(scratch.Write("large", std::string(100'000, 'y'))), std::string(100'000, 'y'));
}

TEST(Mount, IsParsedFromAnyNumberOfTaggedFields) {
  const auto mount = ParseMount(
      "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root "
      "rw,errors=continue");
  ASSERT_TRUE(mount);
  EXPECT_EQ(mount->point, "/mnt 2");
  EXPECT_EQ(mount->type, "ext3");
  EXPECT_EQ(mount->source, "/dev/root");
  EXPECT_EQ(mount->options, "rw,noatime,rw,errors=continue");
  const auto bare = ParseMount("26 1 254:0 / / rw - ext4 /dev/vda rw");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->point, "/");
  const auto odd = ParseMount("26 1 254:0 / /back\\134slash\\ rw - nfs4 server:/a\\011b rw");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->point, "/back\\slash\\");
  EXPECT_EQ(odd->source, "server:/a\tb");
  EXPECT_FALSE(ParseMount(""));
  EXPECT_FALSE(ParseMount("36 35 98:0 / / rw master:1"));
}

TEST(Mount, IsTheInnermostOne) {
  EXPECT_EQ(FindMount("/proc/self/status").value().type, "proc");
  EXPECT_EQ(FindMount("/proc").value().point, "/proc");
  EXPECT_FALSE(FindMount("/no/such/path"));
}

TEST(Machine, DescribesItself) {
  const Machine machine = DescribeMachine();
  EXPECT_FALSE(machine.kernel.empty());
  EXPECT_FALSE(machine.architecture.empty());
  EXPECT_GE(machine.cpus, 1U);
  EXPECT_GT(machine.memory_bytes, std::uint64_t{64} << 20);
  EXPECT_EQ(machine.page_bytes, PageBytes());
  EXPECT_TRUE(machine.swap_bytes);
}

TEST(MountAtRoot, KnowsTheTypesThatDataIsOn) {
  const Scratch scratch;
  const std::optional<Mount> guessed = MountAtRoot(scratch.directory());
  ASSERT_TRUE(guessed) << "a type of file system that should be known";
  EXPECT_EQ(guessed->point, "/");
  EXPECT_EQ(guessed->type, FindMount(scratch.directory()).value().type);
  EXPECT_FALSE(MountAtRoot("/proc"));
  EXPECT_FALSE(MountAtRoot("/no/such/path"));
}

TEST(Machine, DescribesFileSystems) {
  const FileSystem proc = DescribeFileSystem("/proc");
  EXPECT_EQ(proc.type, "proc");
  EXPECT_EQ(proc.mount_point, "/proc");
  EXPECT_FALSE(proc.disk);
  EXPECT_FALSE(proc.mount_options.empty());

  const Scratch scratch;
  const FileSystem here = DescribeFileSystem(scratch.directory());
  EXPECT_GT(here.free_bytes, 0U);
  EXPECT_GE(here.total_bytes, here.free_bytes);
  EXPECT_FALSE(here.type.empty());
  if (here.disk) {
    EXPECT_TRUE(here.read_ahead_kib);
    EXPECT_TRUE(std::filesystem::exists("/sys/block/" + *here.disk));
  } else {
    std::cout << "missing: a disk below /var/tmp\n";
  }
  EXPECT_THROW(DescribeFileSystem("/no/such/path"), IoError);
}

}  // namespace
}  // namespace mr::os
