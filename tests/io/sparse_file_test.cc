// Holes and files of nothing but NULs: neither is one long line, where binary detection is on.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "io/drain.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

constexpr LineRules kBinary{.nul_ends = true, .skip_holes = true};

const std::vector<std::string> kSparseModes = {
    "auto",           "read",  "read:buffer=4K", "mmap",
    "mmap:window=1M", "uring", "direct",         "direct:buffer=64K"};

class SparseFile : public ::testing::TestWithParam<std::string> {
 protected:
  SparseFile() : path_("sparse_file_test." + std::to_string(::getpid())) {}
  ~SparseFile() override { ::unlink(path_.c_str()); }

  // The pieces are written at their offsets; the file ends at `size`.
  std::string Make(const std::vector<std::pair<std::size_t, std::string>>& pieces,
                   std::size_t size) const {
    ::unlink(path_.c_str());
    std::string bytes(size, '\0');
    std::ofstream file(path_, std::ios::binary);
    for (const auto& [offset, text] : pieces) {
      file.seekp(static_cast<std::streamoff>(offset));
      file << text;
      bytes.replace(offset, text.size(), text);
    }
    file.close();
    EXPECT_EQ(::truncate(path_.c_str(), static_cast<off_t>(size)), 0);
    return bytes;
  }

  Drained Search(const LineRules& rules) const {
    os::File file = os::File::Open(path_, path_, AT_FDCWD);
    SourceFactory factory(Request(GetParam(), rules));
    return Drain(*factory.Open(file, file.Info()));
  }

  const std::string path_;
};

TEST_P(SparseFile, GivesOutWhatIsBetweenTheHoles) {
  constexpr std::size_t kMega = std::size_t{1} << 20;
  const std::string bytes = Make({{0, "one\ntwo\nthr"},
                                  {5 * kMega - 3, "ee\nfour"},
                                  {20 * kMega + 4096, std::string(3000, 'x') + "\nfive\n"},
                                  {40 * kMega - 1, "\n"}},
                                 61 * kMega + 5);
  const Drained all = Search(kBinary);
  EXPECT_EQ(all.error, "");
  EXPECT_TRUE(all.bytes == bytes) << all.bytes.size();
  EXPECT_GT(all.passed, 40 * kMega);
  // Where nobody allows it nothing is passed over.
  const Drained read = Search({.nul_ends = true});
  EXPECT_EQ(read.passed, 0U);
  EXPECT_TRUE(read.bytes == bytes) << read.bytes.size();
}

TEST_P(SparseFile, OfATerabyteIsLookedAtWhereItHasData) {
  constexpr std::uint64_t kTera = std::uint64_t{1} << 40;
  Make({{0, "beginning\n"}}, 100);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(kTera / 2));
  file << "middle\n";
  file.close();
  ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(kTera)), 0);
  os::File opened = os::File::Open(path_, path_, AT_FDCWD);
  SourceFactory factory(Request(GetParam(), kBinary));
  const auto source = factory.Open(opened, opened.Info());
  std::uint64_t position = 0;
  std::uint64_t given_out = 0;
  std::string words;
  while (const auto lease = source->Next()) {
    const Block& block = lease->block();
    EXPECT_FALSE(lease->CheckDamage());
    EXPECT_EQ(block.offset, position + block.zeros_before);
    position = block.offset + block.bytes.size();
    given_out += block.bytes.size();
    for (const char byte : block.bytes) {
      if (byte != '\0') words += byte;
    }
  }
  EXPECT_EQ(position, kTera);
  EXPECT_EQ(words, "beginning\nmiddle\n");
  EXPECT_LT(given_out, std::uint64_t{64} << 20);
}

TEST_P(SparseFile, CutsBlocksAtNulsWhereTheyEndLines) {
  // Data, not a hole: written zeros.
  std::ofstream(path_, std::ios::binary) << "text\n" << std::string(32 << 20, '\0');
  os::File file = os::File::Open(path_, path_, AT_FDCWD);
  SourceFactory factory(Request(GetParam(), kBinary));
  const auto source = factory.Open(file, file.Info());
  std::size_t longest = 0;
  std::size_t all = 0;
  while (const auto lease = source->Next()) {
    longest = std::max(longest, lease->block().bytes.size());
    all += lease->block().bytes.size();
  }
  EXPECT_EQ(all, (32U << 20) + 5);
  EXPECT_LE(longest, 5U << 20);  // a stripe of the largest kind and a line
}

TEST_P(SparseFile, IsOneLineWhereNulsAreText) {
  const std::string bytes = Make({{0, "a"}, {3 << 20, "b\n"}}, (3 << 20) + 2);
  os::File file = os::File::Open(path_, path_, AT_FDCWD);
  SourceFactory factory(Request(GetParam(), {}));
  const auto source = factory.Open(file, file.Info());
  std::string whole;
  while (const auto lease = source->Next()) {
    if (lease->block().bytes.empty()) continue;
    EXPECT_TRUE(whole.empty());
    whole = lease->block().bytes;
  }
  EXPECT_TRUE(whole == bytes) << whole.size();
}

INSTANTIATE_TEST_SUITE_P(EveryMode, SparseFile, ::testing::ValuesIn(kSparseModes),
                         [](const auto& tested) { return "Mode" + std::to_string(tested.index); });

TEST(LineEnds, AreTerminatorsAndNulsWhereDetectionIsOn) {
  const std::string all = std::string("ab") + '\0' + "cd\nef" + '\0' + "g";
  const LineRules text_only;
  const LineRules binary{.nul_ends = true};
  EXPECT_EQ(EndOfLine(all.data(), 0, all.size(), text_only), 6U);
  EXPECT_EQ(EndOfLine(all.data(), 0, all.size(), binary), 3U);
  EXPECT_EQ(EndOfLine(all.data(), 3, all.size(), binary), 6U);
  EXPECT_EQ(EndOfLine(all.data(), 9, all.size(), binary), std::nullopt);
  EXPECT_EQ(WholeLines(all.data(), all.size(), text_only), 6U);
  EXPECT_EQ(WholeLines(all.data(), all.size(), binary), 9U);
  EXPECT_EQ(FirstLineIn(all.data(), all.size(), 'x', binary), 3U);
  EXPECT_EQ(FirstLineIn(all.data(), all.size(), '\0', binary), 0U);
  EXPECT_EQ(FirstLineIn(all.data(), all.size(), '\0', text_only), 6U);
  EXPECT_EQ(FirstLineIn(all.data(), 3, 'x', binary), std::nullopt);
  const std::string far = std::string(10000, 'y') + '\0' + "\n";
  EXPECT_EQ(EndOfLine(far.data(), 0, far.size(), binary), 10001U);
}

}  // namespace
}  // namespace mr::io
