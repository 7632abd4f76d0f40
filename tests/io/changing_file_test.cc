// Files that change while they are searched, in every mode.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/drain.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

const std::vector<std::string> kChangingModes = {
    "auto",
    "read",
    "read:buffer=4K",
    "read:buffer=1000",
    "mmap",
    "mmap:window=64K",
    "mmap:window=64K,populate",
    "uring",
    "uring:buffer=64K,depth=2",
    "uring:direct",
    "direct",
    "direct:buffer=4K,depth=1",
};

std::string Numbers(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

class ChangingFile : public ::testing::TestWithParam<std::string> {
 protected:
  // The working directory may have O_DIRECT where /tmp has not.
  ChangingFile() : path_("changing_file_test." + std::to_string(::getpid())) {}
  ~ChangingFile() override { ::unlink(path_.c_str()); }

  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  void Append(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::app) << bytes;
  }

  Drained Search(const std::function<void(int)>& at_block) const {
    os::File file = os::File::Open(path_, path_, AT_FDCWD);
    SourceFactory factory(Request(GetParam()));
    return Drain(*factory.Open(file, file.Info()), at_block);
  }

  const std::string path_;
};

TEST_P(ChangingFile, IsSearchedUpToWhereItHasGrown) {
  const std::string before = Numbers(0, 200000);
  const std::string added = Numbers(200000, 100000);
  Write(before);
  const Drained all = Search([&](int taken) {
    if (taken == 1) Append(added);
  });
  EXPECT_EQ(all.error, "");
  // In one block there is nobody who could look again.
  const bool in_one_block = all.bytes.size() == before.size();
  EXPECT_FALSE(in_one_block);
  EXPECT_TRUE(all.bytes == before + added) << all.bytes.size();
}

TEST_P(ChangingFile, HasItsLastLineCompletedBeforeItIsGivenOut) {
  Write("");
  Append(Numbers(0, 600000) + "the last line is not");
  const std::string before = Numbers(0, 600000) + "the last line is not";
  bool grown = false;
  const Drained all = Search([&](int taken) {
    if (taken == 1) {
      Append(" complete\nand one more\n");
      grown = true;
    }
  });
  ASSERT_TRUE(grown);
  EXPECT_TRUE(all.bytes == before + " complete\nand one more\n")
      << all.bytes.substr(all.bytes.size() - 60);
}

TEST_P(ChangingFile, GrowsBytewiseWithoutLosingLines) {
  Write(Numbers(0, 1000));
  std::string expected = Numbers(0, 1000);
  const Drained all = Search([&](int taken) {
    if (taken >= 20) return;
    const std::string more = "added " + std::to_string(taken) + (taken % 3 == 0 ? "" : "\n");
    Append(more);
    expected += more;
  });
  EXPECT_EQ(all.error, "");
  // Once the end has been seen what comes later is too late; what was there then is whole.
  ASSERT_GE(all.bytes.size(), Numbers(0, 1000).size());
  EXPECT_TRUE(expected.starts_with(all.bytes)) << all.bytes.substr(Numbers(0, 999).size());
}

TEST_P(ChangingFile, IsReplacedOrDeletedWithoutNotice) {
  const std::string before = Numbers(0, 300000);
  for (const bool replace : {false, true}) {
    Write(before);
    const Drained all = Search([&](int taken) {
      if (taken != 1) return;
      if (replace) {
        std::ofstream(path_ + ".new") << "something else\n";
        std::filesystem::rename(path_ + ".new", path_);
      } else {
        ::unlink(path_.c_str());
      }
    });
    EXPECT_EQ(all.error, "");
    EXPECT_TRUE(all.bytes == before) << all.bytes.size();
  }
}

// What logrotate's copytruncate does: the file becomes empty and grows anew.
TEST_P(ChangingFile, IsTruncatedAndWrittenAnew) {
  const std::string before = Numbers(0, 2000000);
  Write(before);
  const Drained all = Search([&](int taken) {
    if (taken != 1) return;
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    Append("a new beginning\n");
  });
  EXPECT_TRUE(before.starts_with(all.bytes)) << all.bytes.size();
  EXPECT_LT(all.bytes.size(), before.size());
  EXPECT_TRUE(all.error.find("file shrank while being searched, at offset ") != std::string::npos)
      << all.error;
}

TEST_P(ChangingFile, ShrinksInTheMiddle) {
  const std::string before = Numbers(0, 1000000);
  Write(before);
  const std::size_t left = before.size() - 1000003;
  const Drained all = Search([&](int taken) {
    if (taken != 1) return;
    ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(left)), 0);
  });
  // Reads under way may have had bytes that are gone by now.
  EXPECT_GE(all.bytes.size(), left);
  EXPECT_TRUE(before.starts_with(all.bytes));
  EXPECT_EQ(all.error.empty(), all.bytes.size() == before.size());
}

INSTANTIATE_TEST_SUITE_P(EveryMode, ChangingFile, ::testing::ValuesIn(kChangingModes),
                         [](const auto& tested) { return "Mode" + std::to_string(tested.index); });

}  // namespace
}  // namespace mr::io
