#include "os/scratch_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "os/error.h"
#include "scratch.h"

namespace mr::os {
namespace {

namespace fs = std::filesystem;

TEST(ScratchDirectory, VanishesWithAllItHolds) {
  const Scratch place;
  {
    const ScratchDirectory directory(place.directory(), "kind");
    EXPECT_EQ(directory.path().rfind(place.Path("kind."), 0), 0U) << directory.path();
    fs::create_directory(directory.path() + "/below");
  }
  EXPECT_TRUE(fs::is_empty(place.directory()));
}

TEST(ScratchDirectory, OfAKilledProcessIsRemovedByTheNextOne) {
  const Scratch place;
  const std::string left = InChild(false, [&place]() -> std::string {
    const auto* directory = new ScratchDirectory(place.directory(), "kind");
    fs::create_directory(directory->path() + "/below");
    return directory->path();  // never destroyed: the process just ends
  });
  ASSERT_TRUE(fs::exists(left + "/below"));
  { const ScratchDirectory other(place.directory(), "other"); }
  EXPECT_TRUE(fs::exists(left));
  { const ScratchDirectory same(place.directory(), "kind"); }
  EXPECT_FALSE(fs::exists(left));
}

TEST(ScratchDirectory, OfALivingProcessIsLeftAlone) {
  const Scratch place;
  const ScratchDirectory first(place.directory(), "kind");
  const ScratchDirectory second(place.directory(), "kind");
  EXPECT_TRUE(fs::exists(first.path()));
  EXPECT_NE(first.path(), second.path());
}

TEST(ScratchDirectory, IsNotTakenForWhatOnlyLooksLikeOne) {
  const Scratch place;
  place.Write("kind.1/file", "without a lock");
  place.Write("kind.2", "a file");
  place.Write("elsewhere/lock", "");
  place.Write("kindred.1/lock", "");
  fs::create_directory_symlink(place.Path("elsewhere"), place.Path("kind.3"));
  { const ScratchDirectory directory(place.directory(), "kind"); }
  for (const char* name : {"kind.1/file", "kind.2", "kind.3/lock", "kindred.1/lock"}) {
    EXPECT_TRUE(fs::exists(place.Path(name))) << name;
  }
}

TEST(ScratchDirectory, NeedsAPlace) {
  EXPECT_THROW(ScratchDirectory("/no/such/directory", "kind"), IoError);
}

}  // namespace
}  // namespace mr::os
