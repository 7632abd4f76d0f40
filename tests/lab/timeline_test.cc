#include "lab/trial/timeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace mr::lab {
namespace {

std::vector<Moment> MomentsAt(std::initializer_list<int> times) {
  std::vector<Moment> moments;
  for (const int time : times) {
    moments.push_back({.at = std::chrono::milliseconds(time), .charged_bytes = {}});
  }
  return moments;
}

TEST(Timeline, IsThinnedToEveryOtherMomentAndItsLast) {
  EXPECT_EQ(Thinned(MomentsAt({1, 2, 3, 4})), MomentsAt({2, 4}));
  EXPECT_EQ(Thinned(MomentsAt({1, 2, 3, 4, 5})), MomentsAt({2, 4, 5}));
  EXPECT_EQ(Thinned({}), MomentsAt({}));
}

TEST(Timeline, OfAShortRunHoldsItsEnd) {
  Sampler sampler([] { return Moment{.disk_bytes = 7, .charged_bytes = {}}; },
                  std::chrono::hours(1));
  const std::vector<Moment> moments = sampler.Stop();
  ASSERT_EQ(moments.size(), 1u);
  EXPECT_EQ(moments[0].disk_bytes, 7u);
}

TEST(Timeline, OfALongRunStaysShortAndInOrder) {
  std::atomic<std::uint64_t> looks = 0;
  Sampler sampler([&] { return Moment{.disk_bytes = ++looks, .charged_bytes = {}}; },
                  std::chrono::milliseconds(1));
  while (looks < 3 * Sampler::kMoments) usleep(1000);
  const std::vector<Moment> moments = sampler.Stop();
  EXPECT_LE(moments.size(), Sampler::kMoments);
  EXPECT_EQ(moments.back().disk_bytes, looks);
  for (std::size_t i = 1; i < moments.size(); ++i) {
    EXPECT_LT(moments[i - 1].disk_bytes, moments[i].disk_bytes);
    EXPECT_LE(moments[i - 1].at, moments[i].at);
  }
}

TEST(Timeline, LeavesSignalsToTheThreadThatWaitsForTheRun) {
  std::atomic<bool> looked = false;
  sigset_t seen;
  Sampler sampler(
      [&] {
        pthread_sigmask(SIG_SETMASK, nullptr, &seen);
        looked = true;
        return Moment{};
      },
      std::chrono::milliseconds(1));
  while (!looked) usleep(1000);
  EXPECT_EQ(sigismember(&seen, SIGINT), 1);
  sampler.Stop();
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

}  // namespace
}  // namespace mr::lab
