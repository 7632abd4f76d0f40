// Every source must give out the whole file, in whole lines, whatever the sizes are.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/drain.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

SourceFactory MakeFactory(const std::string& spec, char terminator = '\n') {
  return SourceFactory(Request(spec, {.terminator = terminator}));
}

struct Piece {
  std::uint64_t index;
  std::uint64_t offset;
  std::string bytes;
  bool operator<(const Piece& other) const { return index < other.index; }
};

// Drains `source` with that many threads.
std::vector<Piece> Drain(BlockSource& source, unsigned threads) {
  std::vector<Piece> pieces;
  std::mutex mutex;
  const auto work = [&] {
    while (const std::unique_ptr<BlockLease> lease = source.Next()) {
      const Block& block = lease->block();
      EXPECT_FALSE(lease->CheckDamage());
      std::lock_guard lock(mutex);
      pieces.push_back({block.index, block.offset, std::string(block.bytes)});
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

void ExpectWholeLines(const std::vector<Piece>& pieces, const std::string& contents,
                      char terminator) {
  std::string all;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].index, i);
    if (pieces[i].bytes.empty()) continue;
    EXPECT_EQ(pieces[i].offset, all.size());
    all += pieces[i].bytes;
    EXPECT_TRUE(all.size() == contents.size() || all.back() == terminator)
        << "block " << i << " ends inside a line";
  }
  EXPECT_TRUE(all == contents) << all.size() << " bytes of " << contents.size();
}

std::string Lines(std::size_t count, std::size_t longest, char terminator, bool last_ended) {
  std::string text;
  std::uint32_t state = 7;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    text.append(state % longest, static_cast<char>('a' + i % 26));
    text += terminator;
  }
  if (!last_ended && !text.empty()) text.back() = 'x';
  return text;
}

struct Content {
  const char* name;
  std::string bytes;
};

std::vector<Content> Contents(char terminator) {
  const std::string t(1, terminator);
  return {
      {"empty", ""},
      {"one byte", "x"},
      {"one terminator", t},
      {"only terminators", std::string(20000, terminator)},
      {"no terminator", std::string(20000, 'x')},
      {"short lines", Lines(5000, 20, terminator, true)},
      {"last line not ended", Lines(5000, 20, terminator, false)},
      {"lines around a page", Lines(40, 9000, terminator, true)},
      {"lines that end with stripes",
       std::string(4095, 'a') + t + std::string(4095, 'b') + t + std::string(4096, 'c') + t},
      {"one long line among short ones", Lines(100, 30, terminator, true) +
                                             std::string(100000, 'y') + t +
                                             Lines(100, 30, terminator, true)},
  };
}

const std::vector<std::string> kSpecs = {
    "auto",
    "read",
    "read:buffer=1",
    "read:buffer=7",
    "read:buffer=4K",
    "read:buffer=64K",
    "read:buffer=1M",
    "mmap",
    "mmap:window=4K",
    "mmap:window=5K",
    "mmap:window=64K,populate,advice=sequential",
};

TEST(BlockSource, GivesOutEveryLineOnceInEveryModeAndBlockSize) {
  const test::TempDir dir;
  for (const char terminator : {'\n', '\0'}) {
    for (const Content& content : Contents(terminator)) {
      const std::string path = dir.Write("data", content.bytes);
      for (const std::string& spec : kSpecs) {
        if (spec.starts_with("read:buffer=1") && spec.size() == 13 && content.bytes.size() > 2000) {
          continue;  // a pread for each byte says nothing more about large files
        }
        for (const unsigned threads : {1U, 3U}) {
          SCOPED_TRACE(std::string(content.name) + ", " + spec);
          os::File file = os::File::Open(path, path, AT_FDCWD);
          SourceFactory factory = MakeFactory(spec, terminator);
          const auto source = factory.Open(file, file.Info());
          ExpectWholeLines(Drain(*source, threads), content.bytes, terminator);
        }
      }
    }
  }
}

TEST(BlockSource, StreamsFromAPipeInWholeLines) {
  for (const Content& content : Contents('\n')) {
    SCOPED_TRACE(content.name);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
      // In uneven pieces, so that lines are torn.
      for (std::size_t at = 0; at < content.bytes.size();) {
        const std::size_t size = std::min<std::size_t>(content.bytes.size() - at, 1 + at % 3001);
        const ssize_t wrote = ::write(ends[1], content.bytes.data() + at, size);
        ASSERT_GT(wrote, 0);
        at += static_cast<std::size_t>(wrote);
      }
      ::close(ends[1]);
    });
    os::File file = os::File::Open("/dev/fd/" + std::to_string(ends[0]), "pipe", AT_FDCWD);
    ::close(ends[0]);
    SourceFactory factory = MakeFactory("read:buffer=4K");
    const auto source = factory.Open(file, file.Info());
    EXPECT_FALSE(source->parallel());
    ExpectWholeLines(Drain(*source, 1), content.bytes, '\n');
    writer.join();
  }
}

TEST(BlockSource, ShowsALineOfAPipeBeforeTheNextOneArrives) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  os::File file = os::File::Open("/dev/fd/" + std::to_string(ends[0]), "pipe", AT_FDCWD);
  ::close(ends[0]);
  SourceFactory factory = MakeFactory("auto");
  const auto source = factory.Open(file, file.Info());
  ASSERT_EQ(::write(ends[1], "one\ntw", 6), 6);
  EXPECT_EQ(source->Next()->block().bytes, "one\n");
  ASSERT_EQ(::write(ends[1], "o\n", 2), 2);
  const auto lease = source->Next();
  EXPECT_EQ(lease->block().bytes, "two\n");
  EXPECT_EQ(lease->block().offset, 4U);
  ::close(ends[1]);
  EXPECT_TRUE(source->Next()->block().bytes.empty());
  EXPECT_EQ(source->Next(), nullptr);
}

TEST(BlockSource, FindsANulBehindTheBlockInEveryMode) {
  const test::TempDir dir;
  std::string bytes = Lines(200, 100, '\n', true);
  const std::size_t nul = bytes.size() + 500;
  bytes += std::string(500, 'z') + '\0' + std::string(500, 'z') + "\n";
  const std::string path = dir.Write("data", bytes);
  for (const char* spec : {"read:buffer=4K", "mmap:window=4K", "mmap", "uring", "direct"}) {
    SCOPED_TRACE(spec);
    os::File file = os::File::Open(path, path, AT_FDCWD);
    SourceFactory factory = MakeFactory(spec);
    const auto source = factory.Open(file, file.Info());
    while (const auto lease = source->Next()) {
      const std::uint64_t end = lease->block().offset + lease->block().bytes.size();
      if (end > nul) continue;
      EXPECT_FALSE(lease->NulFollows(nul)) << end;
      EXPECT_TRUE(lease->NulFollows(nul + 1)) << end;
      EXPECT_TRUE(lease->NulFollows(nul + 100000)) << end;
    }
  }
}

TEST(BlockSource, ReportsAFileThatShrinksWithWhatWasReadBeforeIt) {
  const test::TempDir dir;
  const std::string bytes = Lines(20000, 100, '\n', true);
  for (const char* spec : {"read:buffer=4K", "mmap:window=64K", "mmap", "uring:buffer=96K,depth=2",
                           "direct:depth=2"}) {
    SCOPED_TRACE(spec);
    const std::string path = dir.Write("data", bytes);
    os::File file = os::File::Open(path, path, AT_FDCWD);
    SourceFactory factory = MakeFactory(spec);
    const auto source = factory.Open(file, file.Info());
    const std::size_t left = 300 * 1024 + 17;
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(left)), 0);
    std::string seen;
    std::string message;
    while (const auto lease = source->Next()) {
      std::string copy(lease->block().bytes);  // touches lost pages
      if (const auto damage = lease->CheckDamage()) {
        seen += copy.substr(0, damage->valid_bytes);
        message = damage->error.what();
        break;
      }
      seen += copy;
    }
    EXPECT_TRUE(seen == bytes.substr(0, left)) << seen.size();
    EXPECT_EQ(message,
              path + ": file shrank while being searched, at offset " + std::to_string(left));
  }
}

TEST(BlockSource, RefusesToMapWhatHasNoSize) {
  for (const char* path : {"/proc/self/status", "/dev/null"}) {
    os::File file = os::File::Open(path, path, AT_FDCWD);
    for (const char* spec : {"mmap", "direct", "uring"}) {
      SourceFactory factory = MakeFactory(spec);
      EXPECT_THROW(factory.Open(file, file.Info()), os::IoError) << spec;
    }
    SourceFactory factory = MakeFactory("auto");
    EXPECT_EQ(factory.Open(file, file.Info())->mode(), "read");
  }
}

TEST(BlockSource, ReadsProcFilesWhole) {
  os::File file = os::File::Open("/proc/self/status", "status", AT_FDCWD);
  SourceFactory factory = MakeFactory("auto");
  const auto source = factory.Open(file, file.Info());
  std::string all;
  while (const auto lease = source->Next()) all += lease->block().bytes;
  EXPECT_TRUE(all.starts_with("Name:")) << all;
  EXPECT_EQ(all.back(), '\n');
}

TEST(BlockSource, RefusesADirectory) {
  os::File file = os::File::Open("/", "/", AT_FDCWD);
  try {
    SourceFactory factory = MakeFactory("auto");
    factory.Open(file, file.Info());
    FAIL();
  } catch (const os::IoError& error) {
    EXPECT_STREQ(error.what(), "/: Is a directory");
  }
}

// Looking for the ends of its lines would cost as much as searching it.
TEST(BlockSource, GivesOutAFileThatLooksLikeOneLineAtOnce) {
  constexpr std::size_t kBytes = 65 << 20;
  const test::TempDir files;
  const auto blocks = [&](const std::string& bytes) {
    const std::string path = files.Write("long", bytes);
    SourceFactory factory = MakeFactory("auto");
    os::File file = os::File::Open(path, path, AT_FDCWD);
    const auto source = factory.Open(file, file.Info());
    int taken = 0;
    EXPECT_EQ(Drain(*source, [&](int) { ++taken; }).bytes.size(), bytes.size());
    return taken - 1;
  };
  const std::string line(kBytes, 'x');
  EXPECT_EQ(blocks(line), 1);
  EXPECT_EQ(blocks(line.substr(1) + '\n'), 1);
  EXPECT_EQ(blocks(line + "\nshort\nlast"), 1);
  std::string lines = line;
  for (std::size_t at = 999; at < kBytes; at += 1000) lines[at] = '\n';
  EXPECT_GT(blocks(lines), 10);
}

}  // namespace
}  // namespace mr::io
