// Small files of listings, which a single read serves.
#include "io/loaded_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "io/drain.h"
#include "io/numbered_lines.h"
#include "io/source_factory.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

os::File OpenForReading(const std::string& path) {
  return os::File::Open(path, path, AT_FDCWD, {.nonblocking = true});
}

TEST(LoadedSource, GivesOutAllOfASmallFileOnceAndSaysThatItIsTheLast) {
  const test::TempDir directory;
  BufferPool pool;
  for (const std::size_t size : {0U, 1U, 63U, 64U, 4095U, 4096U, 9999U}) {
    SCOPED_TRACE(size);
    const os::File file = OpenForReading(directory.Write("data", NumberedLines(size)));
    const auto source = LoadWhole(file, 10'000, pool);
    ASSERT_NE(source, nullptr);
    EXPECT_EQ(source->size_bytes(), size);
    const auto lease = source->Next();
    ASSERT_NE(lease, nullptr);
    EXPECT_EQ(lease->block().bytes, NumberedLines(size));
    EXPECT_TRUE(lease->block().last);
    EXPECT_FALSE(lease->NulFollows(1 << 20));
    EXPECT_FALSE(lease->CheckDamage());
    EXPECT_EQ(source->Next(), nullptr);
  }
}

TEST(LoadedSource, LeavesToOthersWhatIsNotSmallOrNoRegularFile) {
  const test::TempDir directory;
  BufferPool pool;
  EXPECT_EQ(LoadWhole(OpenForReading(directory.Write("full", NumberedLines(4096))), 4096, pool),
            nullptr);
  EXPECT_EQ(LoadWhole(OpenForReading(directory.Write("more", NumberedLines(5000))), 4096, pool),
            nullptr);
  EXPECT_EQ(LoadWhole(OpenForReading(directory.path().string()), 4096, pool), nullptr);
  const std::string fifo = directory.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(LoadWhole(OpenForReading(fifo), 4096, pool), nullptr);
}

TEST(LoadedSource, ServesOnlyWhoLeavesTheWayOfReadingOpen) {
  const test::TempDir directory;
  const os::File file = OpenForReading(directory.Write("data", NumberedLines(5000)));
  const auto opens = [&](const std::string& spec, std::optional<CachePolicy> cache) {
    SourceFactory factory(Request(spec, {}, cache));
    os::FileInfo info;
    const auto source = factory.OpenSmall(file, info);
    if (source == nullptr) return false;
    EXPECT_EQ(info.kind, os::FileKind::kRegular);
    EXPECT_EQ(info.size_bytes, 5000U);
    EXPECT_EQ(Drain(*source).bytes, NumberedLines(5000));
    return true;
  };
  for (const char* spec : {"auto", "read"}) {
    EXPECT_TRUE(opens(spec, std::nullopt)) << spec;
    EXPECT_TRUE(opens(spec, CachePolicy::kNormal)) << spec;
    EXPECT_FALSE(opens(spec, CachePolicy::kKeep)) << spec;
    EXPECT_FALSE(opens(spec, CachePolicy::kDrop)) << spec;
  }
  for (const char* spec : {"read:buffer=4K", "mmap", "direct", "uring"}) {
    EXPECT_FALSE(opens(spec, std::nullopt)) << spec;
  }
}

TEST(LoadedSource, CountsTowardsTheDataSet) {
  const test::TempDir directory;
  const os::File file = OpenForReading(directory.Write("data", NumberedLines(5000)));
  SourceRequest request = Request("auto");
  request.cache_capacity = 12'000;
  SourceFactory factory(request);
  os::FileInfo info;
  for (int i = 0; i < 3; ++i) EXPECT_NE(factory.OpenSmall(file, info), nullptr) << i;
  EXPECT_EQ(factory.OpenSmall(file, info), nullptr);  // 15,000 bytes: the cache is to be kept now
}

}  // namespace
}  // namespace mr::io
