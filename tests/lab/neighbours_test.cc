#include "lab/trial/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_observations.h"

namespace mr::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kFileBytes = 100 << 20;

// Took a second of a machine of two CPUs, half of one for itself, and read all of the file.
Observation QuietRun() {
  Observation row = MakeObservation({}, 1.0, kFileBytes);
  row.usage.user = std::chrono::milliseconds(400);
  row.usage.system = std::chrono::milliseconds(100);
  row.vmstat = {{"pgpgin", kFileBytes / 1024}, {"pswpin", 0}};
  row.cpu = {{"busy", 550'000}, {"idle", 1'450'000}, {"steal", 0}};
  row.trace.cpu_mhz = 3000;
  return row;
}

std::vector<std::string> Disturbances(const Observation& row) {
  const std::vector<Observation> rows = {QuietRun(), row};
  return FindDisturbances(kFileBytes, rows);
}

TEST(Neighbours, AreNotSeenWhereThereAreNone) { EXPECT_THAT(Disturbances(QuietRun()), IsEmpty()); }

TEST(Neighbours, AreSeenByWhatTheyReadFromDisks) {
  Observation row = QuietRun();
  row.vmstat["pgpgin"] += 6 << 10;
  EXPECT_EQ(NeighbourDiskBytes(row), 6u << 20);
  EXPECT_THAT(Disturbances(row), ElementsAre("in 1 of 2 trials other processes read more from "
                                             "disks than 5 % of the data's size"));
  // Data on a file system that does not count its reads there.
  row.vmstat["pgpgin"] = 0;
  EXPECT_EQ(NeighbourDiskBytes(row), 0u);
}

TEST(Neighbours, AreSeenByTheirTimeOnTheCpus) {
  Observation row = QuietRun();
  row.cpu = {{"busy", 1'500'000}, {"idle", 500'000}, {"steal", 0}};
  EXPECT_DOUBLE_EQ(NeighbourCpuShare(row), 0.5);
  EXPECT_THAT(Disturbances(row),
              ElementsAre("in 1 of 2 trials other processes used more than 10 % of the CPUs"));
}

TEST(Neighbours, InTrialsShorterThanTheClockOfTheKernelAreNotJudged) {
  Observation row = QuietRun();
  row.usage.user = {};
  row.cpu = {{"busy", 20'000}, {"idle", 0}, {"steal", 0}};
  EXPECT_EQ(NeighbourCpuShare(row), 0);
}

TEST(Neighbours, MayBeTheHostOfAVirtualMachine) {
  Observation row = QuietRun();
  row.cpu["steal"] = 100'000;
  EXPECT_THAT(Disturbances(row),
              ElementsAre("in 1 of 2 trials the host of this virtual machine took more than 2 % of "
                          "the CPUs"));
}

TEST(Neighbours, AreNotTheOnlyDisturbance) {
  Observation row = QuietRun();
  row.vmstat["pswpout"] = 3;
  row.group["oom_kills"] = 1;
  row.trace.cpu_mhz = 1200;
  EXPECT_THAT(Disturbances(row),
              ElementsAre("in 1 of 2 trials the machine swapped",
                          "in 1 of 2 trials the kernel killed a process because the memory limit "
                          "was too small for it",
                          "the CPUs ran at 1200 to 3000 MHz from trial to trial"));
}

}  // namespace
}  // namespace mr::lab
