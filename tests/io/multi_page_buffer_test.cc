#include "io/multi_page_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace mr::io {
namespace {

std::vector<std::size_t> PageSizes(const MultiPageBuffer& buffer) {
  std::vector<std::size_t> sizes;
  for (const MultiPageBuffer::Page& page : buffer.pages()) {
    sizes.push_back(BufferPageBytes(page.size_class));
  }
  return sizes;
}

void Fill(MultiPageBuffer& buffer, char byte) {
  for (std::size_t i = 0; i < buffer.pages().size(); ++i) {
    std::memset(buffer.data(i), byte, buffer.bytes(i).size());
  }
}

bool HoldsOnly(const MultiPageBuffer& buffer, char byte) {
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < buffer.pages().size(); ++i) {
    if (buffer.bytes(i).find_first_not_of(byte) != std::string_view::npos) return false;
    size += buffer.bytes(i).size();
  }
  return size == buffer.size();
}

TEST(MultiPageBuffer, TakesThePagesThatItsSizeNames) {
  PagePool pool;
  const std::vector<std::pair<std::uint64_t, std::vector<std::size_t>>> cases = {
      {0, {}},
      {1, {512}},
      {512, {512}},
      {513, {1024}},
      {1229, {1024, 512}},  // 1.2K
      {1843, {2048}},       // 1.8K
      {4097, {4096, 512}},
      {7 * 512, {2048, 1024, 512}},
      {(std::uint64_t{300} << 20) + 1,
       {std::size_t{256} << 20, std::size_t{32} << 20, std::size_t{8} << 20, std::size_t{4} << 20,
        512}}};
  for (const auto& [size, pages] : cases) {
    const std::optional<MultiPageBuffer> buffer = pool.Allocate(size);
    ASSERT_TRUE(buffer) << size;
    EXPECT_EQ(PageSizes(*buffer), pages) << size;
    EXPECT_EQ(buffer->size(), size);
    EXPECT_LT(buffer->capacity() - size, kSmallestBufferPage);
  }
}

TEST(MultiPageBuffer, ShowsOnlyWhatBelongsToIt) {
  PagePool pool;
  MultiPageBuffer buffer = *pool.Allocate(1229);
  ASSERT_EQ(buffer.pages().size(), 2u);
  EXPECT_EQ(buffer.bytes(0).size(), 1024u);
  EXPECT_EQ(buffer.bytes(1).size(), 205u);
  Fill(buffer, 'x');
  EXPECT_TRUE(HoldsOnly(buffer, 'x'));
}

TEST(MultiPageBuffer, MovesAndGivesItsPagesBackOnce) {
  PagePool pool;
  {
    MultiPageBuffer first = *pool.Allocate(1000);
    MultiPageBuffer second = std::move(first);
    EXPECT_EQ(second.size(), 1000u);
    EXPECT_EQ(first.size(), 0u);  // NOLINT(bugprone-use-after-move): what a move leaves is promised
    first = std::move(second);
    EXPECT_EQ(pool.figures().buffers, 1u);
  }
  EXPECT_EQ(pool.figures().buffers, 0u);
  EXPECT_EQ(pool.figures().used, 0u);
}

TEST(PagePool, UsesReturnedPagesAgain) {
  PagePool pool;
  const char* page = nullptr;
  {
    const auto buffer = pool.Allocate(2048);
    page = buffer->bytes(0).data();
  }
  const std::uint64_t mapped = pool.figures().mapped;
  const auto again = pool.Allocate(2000);
  EXPECT_EQ(again->bytes(0).data(), page);
  EXPECT_EQ(pool.figures().mapped, mapped);
}

TEST(PagePool, CountsWhatIsLostInsideAndBetweenPages) {
  PagePool pool;
  const auto a = pool.Allocate(1229);
  const auto b = pool.Allocate(512);
  const PoolFigures figures = pool.figures();
  EXPECT_EQ(figures.asked, 1741u);
  EXPECT_EQ(figures.used, 1024u + 512 + 512);
  EXPECT_EQ(figures.buffers, 2u);
  EXPECT_EQ(figures.regions, 2u);
  EXPECT_EQ(figures.classes[0].pages_used, 2u);
  EXPECT_EQ(figures.classes[1].pages_used, 1u);
  std::uint64_t free = 0;
  for (int i = 0; i < kBufferPageSizes; ++i) {
    free += figures.classes[static_cast<std::size_t>(i)].pages_free * BufferPageBytes(i);
  }
  EXPECT_EQ(figures.used + free, figures.mapped);
  EXPECT_DOUBLE_EQ(figures.internal(), 1 - 1741.0 / 2048);
  EXPECT_DOUBLE_EQ(figures.external(), 1 - 2048.0 / static_cast<double>(figures.mapped));
  EXPECT_GT(figures.overhead, 0u);
}

TEST(PagePool, KeepsItsLimit) {
  constexpr std::uint64_t kLimit = 1 << 20;
  PagePool pool(kLimit);
  EXPECT_FALSE(pool.Allocate(kLimit + 1));
  std::vector<MultiPageBuffer> buffers;
  while (auto buffer = pool.Allocate(3000)) {
    buffers.push_back(std::move(*buffer));
    ASSERT_LE(pool.figures().mapped, kLimit);
  }
  EXPECT_EQ(pool.figures().used, kLimit);
}

TEST(PagePool, TurnsFreeRegionsIntoPagesOfAnotherSize) {
  constexpr std::uint64_t kLimit = 1 << 20;
  PagePool pool(kLimit);
  {
    std::vector<MultiPageBuffer> small;
    while (auto buffer = pool.Allocate(512)) small.push_back(std::move(*buffer));
    EXPECT_EQ(small.size(), kLimit / 512);
  }
  const auto large = pool.Allocate(kLimit);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->pages().size(), 1u);
  EXPECT_EQ(pool.figures().regions, 1u);
}

TEST(PagePool, PutsALargeBufferTogetherFromSmallPagesWhenNothingMayBeMapped) {
  constexpr std::uint64_t kLimit = 256 << 10;
  PagePool pool(kLimit);
  std::vector<MultiPageBuffer> small;
  while (auto buffer = pool.Allocate(512)) small.push_back(std::move(*buffer));
  // Every region keeps a page in use, so none can be unmapped.
  for (std::size_t i = 0; i < small.size(); i += 2) small[i] = MultiPageBuffer();
  std::optional<MultiPageBuffer> large = pool.Allocate(64 << 10);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->pages().size(), 128u);
  EXPECT_EQ(large->capacity(), std::uint64_t{64} << 10);
  Fill(*large, 'y');
  EXPECT_TRUE(HoldsOnly(*large, 'y'));
}

TEST(PagePool, EndsABufferOnALargerPageWhenNothingElseIsFree) {
  constexpr std::uint64_t kLimit = 8 << 10;
  PagePool pool(kLimit);
  const auto half = pool.Allocate(4096);
  auto other = pool.Allocate(4096);
  ASSERT_TRUE(half && other);
  other.reset();
  const auto odd = pool.Allocate(100);
  ASSERT_TRUE(odd);
  EXPECT_EQ(PageSizes(*odd), std::vector<std::size_t>{4096});
  EXPECT_EQ(odd->bytes(0).size(), 100u);
  EXPECT_LE(pool.figures().mapped, kLimit);
}

TEST(PagePool, ServesManyThreads) {
  PagePool pool(4 << 20);
  constexpr int kThreads = 4;
  constexpr int kSteps = 2000;
  std::vector<int> broken(kThreads, 0);
  std::vector<int> served(kThreads, 0);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::minstd_rand random(static_cast<unsigned>(thread + 1));
        const char byte = static_cast<char>('a' + thread);
        std::vector<MultiPageBuffer> held;
        for (int step = 0; step < kSteps; ++step) {
          if (!held.empty() && random() % 2 == 0) {
            const std::size_t index = random() % held.size();
            if (!HoldsOnly(held[index], byte)) ++broken[static_cast<std::size_t>(thread)];
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
          }
          if (auto buffer = pool.Allocate(random() % 20000)) {
            Fill(*buffer, byte);
            held.push_back(std::move(*buffer));
            ++served[static_cast<std::size_t>(thread)];
          }
          if (held.size() > 40) held.clear();
        }
      });
    }
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(broken[static_cast<std::size_t>(thread)], 0);
    EXPECT_GT(served[static_cast<std::size_t>(thread)], 0);
  }
  const PoolFigures figures = pool.figures();
  EXPECT_EQ(figures.used, 0u);
  EXPECT_EQ(figures.asked, 0u);
  EXPECT_EQ(figures.buffers, 0u);
}

}  // namespace
}  // namespace mr::io
