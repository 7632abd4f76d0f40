#include "os/nfs_statistics.h"

#include <gtest/gtest.h>

#include <string>

namespace mr::os {
namespace {

// As a Linux 6.12 client prints it, shortened.
constexpr const char* kMounts =
    "device proc mounted on /proc with fstype proc\n"
    "device server:/export mounted on /mnt/nfs with fstype nfs4 statvers=1.1\n"
    "\topts:\trw,vers=4.2,rsize=262144,wsize=262144,proto=tcp,timeo=600,retrans=2,sec=sys\n"
    "\tage:\t31\n"
    "\tcaps:\tcaps=0x3ffbffff,wtmult=512,dtsize=262144,bsize=0,namlen=255\n"
    "\tnfsv4:\tbm0=0xfdffbfff,bm1=0xf9be3e,bm2=0x68800,acl=0x3,sessions,pnfs=not configured\n"
    "\tsec:\tflavor=1,pseudoflavor=1\n"
    "\tevents:\t1 14 0 0 1 2 4 512 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 \n"
    "\tbytes:\t2097152 0 4096 0 2101248 0 512 0 \n"
    "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
    "\txprt:\ttcp 0 0 2 0 17 31 31 0 31 0 2 0 0\n"
    "\tper-op statistics\n"
    "\t        NULL: 1 1 0 44 24 0 1 1 0\n"
    "\t        READ: 9 10 1 2016 2102544 3 41 47 0\n"
    "\t     GETATTR: 4 4 0 960 1000 0 2 2 0\n"
    "device tmpfs mounted on /run with fstype tmpfs\n";

TEST(NfsStatistics, ReadsBytesAndOperationsOfTheMount) {
  const auto counters = ParseNfsStatistics(kMounts, "/mnt/nfs");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->at("normal_read_bytes"), 2097152);
  EXPECT_EQ(counters->at("direct_read_bytes"), 4096);
  EXPECT_EQ(counters->at("server_read_bytes"), 2101248);
  EXPECT_EQ(counters->at("read_pages"), 512);
  EXPECT_EQ(counters->at("READ.calls"), 9);
  EXPECT_EQ(counters->at("READ.transmissions"), 10);
  EXPECT_EQ(counters->at("READ.timeouts"), 1);
  EXPECT_EQ(counters->at("READ.received_bytes"), 2102544);
  EXPECT_EQ(counters->at("READ.queue_ms"), 3);
  EXPECT_EQ(counters->at("READ.rtt_ms"), 41);
  EXPECT_EQ(counters->at("READ.execute_ms"), 47);
  EXPECT_EQ(counters->at("GETATTR.calls"), 4);
}

TEST(NfsStatistics, HasNothingForOtherFileSystemsAndUnknownPlaces) {
  EXPECT_FALSE(ParseNfsStatistics(kMounts, "/run"));
  EXPECT_FALSE(ParseNfsStatistics(kMounts, "/mnt"));
  EXPECT_FALSE(ParseNfsStatistics("", "/mnt/nfs"));
}

TEST(NfsStatistics, TakesTheLastMountOfAPlace) {
  const std::string covered =
      std::string(kMounts) + "device x mounted on /mnt/nfs with fstype ext4\n";
  EXPECT_FALSE(ParseNfsStatistics(covered, "/mnt/nfs"));
  const std::string again = std::string(kMounts) +
                            "device s:/ mounted on /mnt/nfs with fstype nfs statvers=1.1\n"
                            "\tbytes:\t7 0 0 0 0 0 0 0 \n";
  EXPECT_EQ(ParseNfsStatistics(again, "/mnt/nfs")->at("normal_read_bytes"), 7);
  EXPECT_FALSE(ParseNfsStatistics(again, "/mnt/nfs")->contains("READ.calls"));
}

TEST(NfsStatistics, FindsAMountPointWithASpace) {
  const auto counters = ParseNfsStatistics(
      "device s:/ mounted on /mnt/my\\040files with fstype nfs statvers=1.1\n\tbytes:\t5 0\n",
      "/mnt/my files");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->at("normal_read_bytes"), 5);
}

}  // namespace
}  // namespace mr::os
