#include "os/own_usage.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <thread>

namespace mr::os {
namespace {

TEST(OwnUsage, CountsWhatIsUsedBetweenTwoMoments) {
  const OwnUsage before = MeasureOwnUsage();
  constexpr std::size_t kBytes = 64 * 4096;
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, kBytes, MADV_NOHUGEPAGE);
  volatile char* const bytes = static_cast<char*>(memory);
  for (std::size_t at = 0; at < kBytes; at += 4096) bytes[at] = 1;
  std::uint64_t sum = 0;
  // In a thread, which belongs to the process too.
  std::thread([&sum] {
    const auto enough = MeasureOwnUsage().cpu + std::chrono::milliseconds(5);
    while (MeasureOwnUsage().cpu < enough) ++sum;
  }).join();
  const OwnUsage used = MeasureOwnUsage() - before;
  ::munmap(memory, kBytes);
  EXPECT_GT(sum, 0u);
  EXPECT_GE(used.minor_faults, 64);
  EXPECT_GT(used.cpu.count(), 1'000'000);
  EXPECT_GT(used.wall.count(), 0);
  EXPECT_GE(used.user.count() + used.system.count(), 500);
}

}  // namespace
}  // namespace mr::os
