// Lines that are too long for a block, in pieces: together they are the file, in every mode.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/drain.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

constexpr std::size_t kBuffer = 4096;
constexpr LineRules kRules = {.nul_ends = true, .pieces = true};

enum class Way {
  kPieces,     // More to the end of the line
  kHold,       // Hold at once
  kHoldAfter,  // Hold after some of the pieces, or all
};

struct Part {
  std::uint64_t offset = 0;
  std::string bytes;
  bool operator<(const Part& other) const { return offset < other.offset; }
};

struct Parts {
  std::vector<Part> parts;
  int fragments = 0;
  std::size_t longest = 0;  // of what was in memory at once
};

Parts Drain(BlockSource& source, unsigned threads, Way way) {
  Parts all;
  std::mutex mutex;
  const auto work = [&] {
    while (const std::unique_ptr<BlockLease> lease = source.Next()) {
      Part part{lease->block().offset, std::string(lease->block().bytes)};
      std::size_t longest = 0;
      const bool unfinished = !lease->block().fragment.empty();
      if (unfinished && way == Way::kPieces) {
        std::optional<std::string_view> piece = lease->block().fragment;
        for (; piece; piece = lease->More()) {
          EXPECT_FALSE(piece->empty());
          longest = std::max(longest, piece->size());
          part.bytes += *piece;
        }
      } else if (unfinished) {
        for (std::size_t i = lease->block().offset % 5;
             way == Way::kHoldAfter && i > 0 && lease->More(); --i) {
        }
        lease->Hold("held");
        EXPECT_TRUE(lease->block().fragment.empty());
        part.bytes = lease->block().bytes;
      }
      EXPECT_FALSE(lease->CheckDamage());
      EXPECT_FALSE(lease->More());
      std::lock_guard lock(mutex);
      all.fragments += unfinished ? 1 : 0;
      all.longest = std::max(all.longest, longest);
      if (!part.bytes.empty()) all.parts.push_back(std::move(part));
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  std::sort(all.parts.begin(), all.parts.end());
  return all;
}

// Whole lines of all lengths, some of them too long for a block, of which the last may lack an end.
std::string Contents(unsigned seed) {
  std::string text;
  std::uint32_t state = seed;
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (std::uint32_t lines = 1 + random(12); lines > 0; --lines) {
    const std::size_t length = random(3) == 0 ? random(60 * kBuffer) : random(2 * kBuffer);
    text.append(length, static_cast<char>('a' + random(26)));
    text += random(6) == 0 ? '\0' : '\n';
  }
  if (random(3) == 0) text.append(random(40 * kBuffer), 'e');
  return text;
}

void ExpectAll(const Parts& drained, const std::string& contents) {
  std::string all;
  for (const Part& part : drained.parts) {
    EXPECT_EQ(part.offset, all.size());
    all += part.bytes;
    EXPECT_TRUE(all.size() == contents.size() || EndsLine(all.back(), kRules))
        << "ends inside a line at " << all.size();
  }
  EXPECT_TRUE(all == contents) << all.size() << " bytes of " << contents.size();
  // Buffers grow by doubling, and hold some binary windows beside that.
  EXPECT_LE(drained.longest, 2 * kHeldBuffers * kBuffer + 2 * kBinaryWindowBytes);
}

class Pieces : public testing::TestWithParam<std::string> {};

TEST_P(Pieces, AreTheFileTogether) {
  const test::TempDir dir;
  int fragments = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::string contents = Contents(seed);
    const std::string path = dir.Write("data", contents);
    for (const unsigned threads : {1U, 3U}) {
      for (const Way way : {Way::kPieces, Way::kHold, Way::kHoldAfter}) {
        SCOPED_TRACE(std::to_string(seed) + ", " + std::to_string(threads) + " threads, way " +
                     std::to_string(static_cast<int>(way)));
        os::File file = os::File::Open(path, path, AT_FDCWD);
        SourceFactory factory(Request(GetParam(), kRules));
        const auto source = factory.Open(file, file.Info());
        const Parts drained = Drain(*source, threads, way);
        ExpectAll(drained, contents);
        fragments += drained.fragments;
      }
    }
  }
  EXPECT_GT(fragments, 100);
}

INSTANTIATE_TEST_SUITE_P(EveryMode, Pieces,
                         testing::Values("read:buffer=4K", "direct:buffer=4K,depth=3",
                                         "uring:buffer=4K,depth=2"),
                         [](const auto& mode) {
                           return mode.param.substr(0, mode.param.find(':'));
                         });

TEST(PiecesOfAPipe, AreItsInputTogether) {
  int fragments = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::string contents = Contents(seed);
    for (const bool whole_windows : {false, true}) {
      for (const Way way : {Way::kPieces, Way::kHold}) {
        SCOPED_TRACE(std::to_string(seed) + (whole_windows ? ", windows" : ""));
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        std::thread writer([&] {
          for (std::size_t at = 0; at < contents.size();) {
            const std::size_t size = std::min<std::size_t>(1 + at % 5000, contents.size() - at);
            ASSERT_EQ(write(ends[1], contents.data() + at, size), static_cast<ssize_t>(size));
            at += size;
          }
          close(ends[1]);
        });
        LineRules rules = kRules;
        rules.whole_windows = whole_windows;
        {
          const std::string name = "/dev/fd/" + std::to_string(ends[0]);
          os::File file = os::File::Open(name, name, AT_FDCWD);
          SourceFactory factory(Request("read:buffer=4K", rules));
          const auto source = factory.Open(file, file.Info());
          const Parts drained = Drain(*source, 1, way);
          fragments += drained.fragments;
          ExpectAll(drained, contents);
        }
        writer.join();
        close(ends[0]);
      }
    }
  }
  EXPECT_GT(fragments, 100);
}

TEST(PiecesOfAFile, EndTheSourceWhenNobodyWantsTheRest) {
  const test::TempDir dir;
  const std::string path = dir.Write("data", std::string(100 * kBuffer, 'x') + "\nlast\n");
  for (const char* spec : {"direct:buffer=4K", "uring:buffer=4K"}) {
    os::File file = os::File::Open(path, path, AT_FDCWD);
    SourceFactory factory(Request(spec, kRules));
    const auto source = factory.Open(file, file.Info());
    ASSERT_FALSE(source->Next()->block().fragment.empty());
    EXPECT_EQ(source->Next(), nullptr);
  }
}

TEST(PiecesOfAFile, TellWhereItShrank) {
  const test::TempDir dir;
  for (const char* spec : {"read:buffer=4K", "uring:buffer=4K"}) {
    const std::string path = dir.Write("data", std::string(200 * kBuffer, 'x') + "\n");
    os::File file = os::File::Open(path, path, AT_FDCWD);
    SourceFactory factory(Request(spec, kRules));
    const auto source = factory.Open(file, file.Info());
    const auto lease = source->Next();
    ASSERT_FALSE(lease->block().fragment.empty()) << spec;
    ASSERT_EQ(truncate(path.c_str(), 100 * kBuffer), 0);
    while (lease->More()) {
    }
    ASSERT_TRUE(lease->CheckDamage()) << spec;
    EXPECT_NE(std::string(lease->CheckDamage()->error.what()).find("shrank"), std::string::npos);
  }
}

}  // namespace
}  // namespace mr::io
