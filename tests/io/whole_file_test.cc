#include "io/whole_file.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "io/numbered_lines.h"
#include "os/error.h"
#include "os/ring.h"
#include "support/temp_dir.h"

namespace mr::io {
namespace {

TEST(WholeFile, IsTheSameByEveryWayOfReading) {
  const test::TempDir directory;
  for (const std::string spec :
       {"read", "read:buffer=4K", "mmap", "mmap:populate", "mmap:advice=sequential",
        "direct:buffer=4K", "direct:buffer=64K,depth=2", "uring:buffer=4K,depth=3",
        "uring:direct"}) {
    for (const Allocation allocation : {Allocation::kMalloc, Allocation::kPool}) {
      WholeFileLoader loader(ParseIoSpec(spec), allocation);
      for (const std::size_t size : {1u, 511u, 4096u, 4097u, 300000u}) {
        const std::string text = NumberedLines(size);
        const std::string path = directory.Write("data", text);
        try {
          EXPECT_EQ(loader.Load(path)->bytes(), text) << spec;
        } catch (const os::IoError& error) {
          // The kernel or the file system of the tests may refuse these two, and only these.
          EXPECT_TRUE(spec.starts_with("uring") || spec.starts_with("direct")) << error.what();
          std::cout << "missing here: " << spec << " (" << error.what() << ")\n";
        }
      }
    }
  }
}

TEST(WholeFile, StaysValidWhileOthersAreLoaded) {
  const test::TempDir directory;
  const std::string first_path = directory.Write("first", NumberedLines(9000));
  const std::string second_path = directory.Write("second", std::string(9000, 'x'));
  WholeFileLoader loader(ParseIoSpec("read"), Allocation::kPool);
  const auto first = loader.Load(first_path);
  const auto second = loader.Load(second_path);
  EXPECT_EQ(first->bytes(), NumberedLines(9000));
  EXPECT_EQ(second->bytes(), std::string(9000, 'x'));
}

TEST(WholeFile, RefusesWhatIsNoFileWithContents) {
  const test::TempDir directory;
  for (const char* spec : {"read", "mmap", "uring"}) {
    WholeFileLoader loader(ParseIoSpec(spec), Allocation::kMalloc);
    EXPECT_THROW(loader.Load((directory.path() / "missing").string()), os::IoError);
    EXPECT_THROW(loader.Load(directory.path().string()), os::IoError);
    EXPECT_THROW(loader.Load("/dev/null"), os::IoError);
    EXPECT_THROW(loader.Load(directory.Write("empty", "")), os::IoError);
  }
}

TEST(WholeFile, RefusesSpecsThatDoNotSayHowToHaveAllOfIt) {
  EXPECT_THROW(WholeFileLoader(ParseIoSpec("auto"), Allocation::kMalloc), IoSpecError);
  EXPECT_THROW(WholeFileLoader(ParseIoSpec("mmap:window=1M"), Allocation::kMalloc), IoSpecError);
}

}  // namespace
}  // namespace mr::io
