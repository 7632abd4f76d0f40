#include <gtest/gtest.h>

#include "app/mrgrep/progress.h"

namespace mr::app {
namespace {

using std::chrono::seconds;

TEST(FormatProgress, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(FormatProgress("mrgrep", {0, std::nullopt, 0, seconds(2)}), "mrgrep: 0 B, 0 B/s");
  EXPECT_EQ(FormatProgress("grep", {1500, std::nullopt, 1500, seconds(1)}),
            "grep: 1.5 kB, 1.5 kB/s, 0 % from the cache");
}

TEST(FormatProgress, TellsTheTimeLeftWhenTheSizeIsKnown) {
  EXPECT_EQ(FormatProgress("mrgrep", {1'000'000'000, 4'000'000'000, 250'000'000, seconds(5)}),
            "mrgrep: 1.0 GB of 4.0 GB, 200 MB/s, 15 s left, 75 % from the cache");
  EXPECT_EQ(FormatProgress("mrgrep", {10'000'000, 40'000'000'000, 10'000'000, seconds(1)}),
            "mrgrep: 10 MB of 40 GB, 10 MB/s, 67 min left, 0 % from the cache");
}

// Read-ahead and files that grow: neither may make it tell nonsense.
TEST(FormatProgress, IsNotConfusedByMoreThanAll) {
  EXPECT_EQ(FormatProgress("mrgrep", {2000, 1000, 4000, seconds(1)}),
            "mrgrep: 2.0 kB, 2.0 kB/s, 0 % from the cache");
}

}  // namespace
}  // namespace mr::app
