#include "os/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "os/descriptor.h"
#include "os/file_system.h"
#include "support/temp_dir.h"

namespace mr::os {
namespace {

// The errno of opening `path` from the root on the same mount, or 0.
int ErrorOnSameMount(const std::string& path) {
  const Descriptor root(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  try {
    File::Open(path, path, root.get(), {.same_mount = true});
    return 0;
  } catch (const IoError& error) {
    return error.error_number();
  }
}

TEST(File, OnTheSameMountDoesNotEnterAnother) {
  const int error = ErrorOnSameMount("proc/version");
  if (error == ENOSYS || error == EPERM) GTEST_SKIP() << "openat2(2) is refused here";
  EXPECT_EQ(error, EXDEV);
  EXPECT_EQ(ErrorOnSameMount("no such file"), ENOENT);

  const test::TempDir directory;
  directory.Write("data", "text");
  const Descriptor here(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const File file = File::Open("data", "data", here.get(), {.no_follow = true, .same_mount = true});
  char bytes[8];
  EXPECT_EQ(file.ReadAt(bytes, sizeof bytes, 0), 4U);
}

TEST(KindOfFileSystem, TellsWhoPromisesWhat) {
  const auto kind = [](const char* path) {
    const Descriptor directory(::open(path, O_RDONLY | O_CLOEXEC));
    return KindOfFileSystem(directory.get());
  };
  EXPECT_EQ(kind("/proc"), FileSystemKind::kOther);
  EXPECT_EQ(kind("/dev/shm"), FileSystemKind::kLocal);
  EXPECT_EQ(KindOfFileSystem(-1), FileSystemKind::kNetwork);
}

}  // namespace
}  // namespace mr::os
