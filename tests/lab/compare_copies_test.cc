#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "lab/compare/copies.h"
#include "os/error.h"
#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Field;

class Copies : public ::testing::Test {
 protected:
  Copies() {
    fs::create_directories(directory_.path() / "from/tree/below");
    fs::create_directories(directory_.path() / "to");
    file_ = directory_.Write("from/file", std::string(100'000, 'x') + "end");
    directory_.Write("from/tree/b", "second\n");
    directory_.Write("from/tree/below/c", "third\n");
    directory_.Write("from/tree/a", "first\n");
    fs::create_symlink("a", directory_.path() / "from/tree/link");
    tree_ = directory_.path() / "from/tree";
  }

  std::string To(const std::string& name) const { return directory_.path() / "to" / name; }

  test::TempDir directory_;
  std::string file_;
  std::string tree_;
};

TEST_F(Copies, OfAFileAreMadeOnceAndVerified) {
  const DataInventory inventory = TakeInventory(file_);
  EXPECT_EQ(inventory.total_bytes(), 100'003u);
  EXPECT_EQ(inventory.checksum().size(), 32u);
  EXPECT_EQ(PlaceCopy(file_, inventory, To("file")), CopyOutcome::kCopied);
  EXPECT_EQ(os::ReadText(To("file")), os::ReadText(file_));
  EXPECT_EQ(PlaceCopy(file_, inventory, To("file")), CopyOutcome::kWasThere);
  EXPECT_EQ(PlaceCopy(file_, inventory, file_), CopyOutcome::kIsSource);
}

TEST_F(Copies, OfATreeHaveItsFilesInOrderAndItsLinksAsLinks) {
  const DataInventory inventory = TakeInventory(tree_);
  EXPECT_THAT(inventory.files, ElementsAre(Field(&DataInventory::File::name, "a"),
                                           Field(&DataInventory::File::name, "b"),
                                           Field(&DataInventory::File::name, "below/c")));
  EXPECT_EQ(PlaceCopy(tree_, inventory, To("tree")), CopyOutcome::kCopied);
  EXPECT_EQ(os::ReadText(To("tree/below/c")), "third\n");
  EXPECT_TRUE(fs::is_symlink(To("tree/link")));
  EXPECT_EQ(PlaceCopy(tree_, inventory, To("tree")), CopyOutcome::kWasThere);
  EXPECT_THAT(FilePaths(inventory, "/at"), ElementsAre("/at/a", "/at/b", "/at/below/c"));
}

TEST_F(Copies, LeaveAloneWhatIsThereAndDiffers) {
  const DataInventory inventory = TakeInventory(file_);
  directory_.Write("to/file", "mine");
  EXPECT_THROW(PlaceCopy(file_, inventory, To("file")), os::IoError);
  EXPECT_EQ(os::ReadText(To("file")), "mine");

  const DataInventory tree = TakeInventory(tree_);
  ASSERT_EQ(PlaceCopy(tree_, tree, To("tree")), CopyOutcome::kCopied);
  directory_.Write("to/tree/more", "a file that the source does not have");
  EXPECT_THROW(PlaceCopy(tree_, tree, To("tree")), os::IoError);
}

TEST_F(Copies, StartAfreshAfterOneThatWasCutShort) {
  const DataInventory inventory = TakeInventory(file_);
  directory_.Write("to/.file.mrbench-partial", "half");
  EXPECT_EQ(PlaceCopy(file_, inventory, To("file")), CopyOutcome::kCopied);
  EXPECT_FALSE(fs::exists(To(".file.mrbench-partial")));
}

TEST_F(Copies, ThatFindNoRoomSayWhyAndLeaveNothing) {
  const DataInventory inventory = TakeInventory(file_);
  const auto earlier_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  rlimit limited = unlimited;
  limited.rlim_cur = 50'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  std::string complaint;
  try {
    PlaceCopy(file_, inventory, To("file"));
  } catch (const os::IoError& error) {
    complaint = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  std::signal(SIGXFSZ, earlier_handler);
  EXPECT_EQ(complaint, To("file") + ": File too large");
  EXPECT_TRUE(fs::is_empty(directory_.path() / "to"));
}

TEST_F(Copies, AreRefusedForWhatIsNoDataAndWhereThereIsNoPlace) {
  EXPECT_THROW(TakeInventory("/dev/null"), os::IoError);
  EXPECT_THROW(TakeInventory(directory_.path() / "absent"), os::IoError);
  EXPECT_THROW(TakeInventory(directory_.path() / "to"), os::IoError);  // empty
  ASSERT_EQ(::mkfifo(To("pipe").c_str(), 0600), 0);
  EXPECT_THROW(TakeInventory(directory_.path() / "to"), os::IoError);
  EXPECT_THROW(PlaceCopy(file_, TakeInventory(file_), To("no/such/directory/file")), os::IoError);
}

}  // namespace
}  // namespace mr::lab
