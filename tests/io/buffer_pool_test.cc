#include "io/buffer_pool.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace mr::io {
namespace {

TEST(BufferPool, LendsAgainWhatCameBackEvenFromAnotherThread) {
  BufferPool pool;
  Buffer lent = pool.Take(100'000);
  const char* const memory = lent.data();
  std::thread([&] { pool.Return(std::move(lent)); }).join();
  Buffer again = pool.Take(50'000);
  EXPECT_EQ(again.data(), memory);
  EXPECT_GE(again.capacity(), 100'000U);
  EXPECT_NE(pool.Take(50'000).data(), memory);
}

TEST(BufferPool, GivesALargerOneWhereThatIsAskedFor) {
  BufferPool pool;
  pool.Return(Buffer(4096));
  EXPECT_GE(pool.Take(10'000).capacity(), 10'000U);
}

TEST(BufferPool, IsUsedByManyThreads) {
  BufferPool pool;
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {  // more than it has lists for
    threads.emplace_back([&pool, i] {
      for (int round = 0; round < 500; ++round) {
        Buffer buffer = pool.Take(4096);
        const char mark = static_cast<char>(i);
        buffer.data()[0] = buffer.data()[4095] = mark;
        ASSERT_EQ(buffer.data()[0], mark);
        ASSERT_EQ(buffer.data()[4095], mark);
        pool.Return(std::move(buffer));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace mr::io
