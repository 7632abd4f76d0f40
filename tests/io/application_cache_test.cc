#include "io/application_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "os/error.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

std::string Text(const MultiPageBuffer& buffer) {
  std::string text;
  for (std::size_t i = 0; i < buffer.pages().size(); ++i) text += buffer.bytes(i);
  return text;
}

std::string Contents(std::size_t size, int number) {
  std::string text;
  while (text.size() < size) text += "file " + std::to_string(number) + " ";
  text.resize(size);
  return text;
}

class ApplicationCacheTest : public ::testing::Test {
 protected:
  std::string Make(int number, std::size_t size) {
    return directory_.Write("f" + std::to_string(number), Contents(size, number));
  }
  test::TempDir directory_;
};

TEST_F(ApplicationCacheTest, LoadsAFileOnceAndKeepsIt) {
  ApplicationCache cache;
  for (const std::size_t size : {0u, 1u, 512u, 1229u, 100000u}) {
    const std::string path = Make(static_cast<int>(size), size);
    const ApplicationCache::File first = cache.Get(path);
    ASSERT_TRUE(first);
    EXPECT_EQ(Text(*first), Contents(size, static_cast<int>(size)));
    std::filesystem::remove(path);  // it is not looked at again
    EXPECT_EQ(cache.Get(path), first);
    EXPECT_EQ(cache.Peek(path), first);
  }
  const CacheFigures figures = cache.figures();
  EXPECT_EQ(figures.hits, 5u);
  EXPECT_EQ(figures.misses, 5u);
  EXPECT_EQ(figures.miss_bytes, 0u + 1 + 512 + 1229 + 100000);
  EXPECT_EQ(figures.hit_bytes, figures.miss_bytes);
  EXPECT_EQ(figures.files, 5u);
  EXPECT_EQ(figures.evictions, 0u);
  EXPECT_EQ(cache.pool_figures().asked, figures.miss_bytes);
}

TEST_F(ApplicationCacheTest, SaysWhichFileCannotBeRead) {
  ApplicationCache cache;
  const std::string missing = (directory_.path() / "missing").string();
  for (const std::string& path : {missing, directory_.path().string(), std::string("/dev/null")}) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        cache.Get(path);
        ADD_FAILURE() << path << " was read";
      } catch (const os::IoError& error) {
        EXPECT_EQ(error.path(), path);
      }
    }
  }
  EXPECT_EQ(cache.figures().files, 0u);
  EXPECT_EQ(cache.Peek(missing), nullptr);
  directory_.Write("missing", "there now");
  EXPECT_EQ(Text(*cache.Get(missing)), "there now");
}

TEST_F(ApplicationCacheTest, GivesUpTheLeastRecentlyUsed) {
  ApplicationCache cache(std::uint64_t{64} << 10);
  std::vector<std::string> paths;
  for (int i = 0; i < 5; ++i) paths.push_back(Make(i, 16 << 10));
  for (int i = 0; i < 4; ++i) cache.Get(paths[static_cast<std::size_t>(i)]);
  cache.Get(paths[0]);  // now 1 is the oldest
  cache.Get(paths[4]);
  EXPECT_EQ(cache.Peek(paths[1]), nullptr);
  for (const std::size_t i : {0u, 2u, 3u, 4u}) {
    ASSERT_TRUE(cache.Peek(paths[i])) << i;
    EXPECT_EQ(Text(*cache.Peek(paths[i])), Contents(16 << 10, static_cast<int>(i)));
  }
  EXPECT_EQ(cache.figures().evictions, 1u);
  EXPECT_LE(cache.pool_figures().mapped, std::uint64_t{64} << 10);
}

TEST_F(ApplicationCacheTest, NeverHitsInACyclicScanOfMoreThanFits) {
  ApplicationCache cache(std::uint64_t{64} << 10);
  std::vector<std::string> paths;
  for (int i = 0; i < 6; ++i) paths.push_back(Make(i, 16 << 10));
  for (int pass = 0; pass < 3; ++pass) {
    for (const std::string& path : paths) ASSERT_TRUE(cache.Get(path));
  }
  EXPECT_EQ(cache.figures().hits, 0u);
  EXPECT_EQ(cache.figures().misses, 18u);
}

TEST_F(ApplicationCacheTest, NeverTakesMemoryFromThoseWhoHoldIt) {
  ApplicationCache cache(std::uint64_t{64} << 10);
  const std::string held_path = Make(0, 40 << 10);
  const std::string wanted_path = Make(1, 40 << 10);
  ApplicationCache::File held = cache.Get(held_path);
  EXPECT_EQ(cache.Get(wanted_path), nullptr);
  EXPECT_EQ(cache.figures().refusals, 1u);
  EXPECT_EQ(Text(*held), Contents(40 << 10, 0));
  held.reset();
  ASSERT_TRUE(cache.Get(wanted_path));
  EXPECT_EQ(cache.Get(Make(2, 65 << 10)), nullptr) << "more than the limit";
}

TEST_F(ApplicationCacheTest, ContentsOutliveTheCache) {
  auto cache = std::make_unique<ApplicationCache>();
  const ApplicationCache::File file = cache->Get(Make(7, 5000));
  cache.reset();
  EXPECT_EQ(Text(*file), Contents(5000, 7));
}

TEST_F(ApplicationCacheTest, ForgetsEverythingWhenCleared) {
  ApplicationCache cache;
  const std::string path = Make(1, 100);
  cache.Get(path);
  cache.Clear();
  EXPECT_EQ(cache.figures().files, 0u);
  EXPECT_EQ(cache.pool_figures().used, 0u);
  EXPECT_TRUE(cache.Get(path));
}

TEST_F(ApplicationCacheTest, ManyThreadsLoadEachFileOnce) {
  ApplicationCache cache;
  std::vector<std::string> paths;
  for (int i = 0; i < 50; ++i) paths.push_back(Make(i, static_cast<std::size_t>(i) * 700));
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const auto file = cache.Get(paths[static_cast<std::size_t>(i)]);
          EXPECT_EQ(Text(*file), Contents(static_cast<std::size_t>(i) * 700, i));
        }
      });
    }
  }
  EXPECT_EQ(cache.figures().misses, 50u);
  EXPECT_EQ(cache.figures().hits, 150u);
}

TEST_F(ApplicationCacheTest, ManyThreadsShareAMemoryThatIsShort) {
  ApplicationCache cache(std::uint64_t{256} << 10);
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) paths.push_back(Make(i, 4000 + static_cast<std::size_t>(i) * 500));
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int step = 0; step < 400; ++step) {
          const int i = (step * (2 * thread + 1)) % 40;
          const auto file = cache.Get(paths[static_cast<std::size_t>(i)]);
          if (file) {
            EXPECT_EQ(Text(*file), Contents(4000 + static_cast<std::size_t>(i) * 500, i));
          }
        }
      });
    }
  }
  const CacheFigures figures = cache.figures();
  EXPECT_EQ(figures.hits + figures.misses, 1600u);
  EXPECT_GT(figures.evictions, 0u);
  EXPECT_LE(cache.pool_figures().mapped, std::uint64_t{256} << 10);
}

}  // namespace
}  // namespace mr::io
