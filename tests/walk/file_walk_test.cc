#include "walk/file_walk.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "os/descriptor.h"
#include "os/file_system.h"
#include "support/temp_dir.h"

namespace mr::walk {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FileWalkTest : public ::testing::Test {
 protected:
  FileWalkTest() {
    old_directory_ = fs::current_path();
    fs::current_path(dir_.path());
    plan_.directories = Directories::kRecurse;
  }
  ~FileWalkTest() override { fs::current_path(old_directory_); }

  void Touch(const fs::path& path) const {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    dir_.Write(path, "text of " + path.string());
  }

  // Labels, or messages where there is one. Each file must be open-able as the task says and be
  // the one that its label names. All of that does not depend on what is listed ahead.
  std::vector<std::string> Walk() const {
    std::vector<std::string> found = WalkWith([](FileWalk&) {});
    EXPECT_EQ(WalkWith([](FileWalk& walk) {
                if (const auto preparation = walk.Prepare()) preparation->Run();
              }),
              found);
    int calls = 0;  // of which some come to nothing
    EXPECT_EQ(WalkWith([&](FileWalk& walk) {
                const auto preparation = walk.Prepare();
                if (preparation && ++calls % 3 != 0) preparation->Run();
              }),
              found);
    return found;
  }

  template <typename BetweenTasks>
  std::vector<std::string> WalkWith(BetweenTasks between_tasks) const {
    std::vector<std::string> found;
    FileWalk walk(plan_);
    while (const auto task = walk.Next()) {
      between_tasks(walk);
      found.push_back(task->error.value_or(task->label));
      if (task->error || task->is_stdin) continue;
      const int fd = ::openat(task->directory_fd, task->path.c_str(), O_RDONLY | O_NONBLOCK);
      struct stat opened, named;
      if (fd >= 0 && ::stat(task->label.c_str(), &named) == 0) {
        EXPECT_EQ(::fstat(fd, &opened), 0);
        EXPECT_EQ(opened.st_ino, named.st_ino) << task->label;
      }
      if (fd >= 0) ::close(fd);
    }
    return found;
  }

  test::TempDir dir_;
  fs::path old_directory_;
  WalkPlan plan_;
};

TEST_F(FileWalkTest, WithoutOperandsReadsStandardInputOrTheCurrentDirectory) {
  Touch("b");
  Touch("a/x");
  EXPECT_THAT(Walk(), ElementsAre("a/x", "b"));
  plan_.directories = Directories::kRead;
  EXPECT_THAT(Walk(), ElementsAre("(standard input)"));
}

TEST_F(FileWalkTest, OperandsComeInTheirOrderAndMayRepeat) {
  Touch("b");
  Touch("a");
  plan_.operands = {"b", "-", "a", "b", "missing"};
  plan_.stdin_label = "label";
  EXPECT_THAT(Walk(), ElementsAre("b", "label", "a", "b", "missing"));
}

TEST_F(FileWalkTest, FilesComeInTheByteOrderOfTheirPaths) {
  std::mt19937 random(7);
  const std::string letters = "ab-.0~ \xc3";
  std::set<std::string> paths;
  for (int i = 0; i < 300; ++i) {
    fs::path path = "t";
    for (int depth = static_cast<int>(random() % 4); depth >= 0; --depth) {
      std::string name = "n";
      for (int k = static_cast<int>(random() % 3); k > 0; --k)
        name += letters[random() % letters.size()];
      path /= name;
    }
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error || fs::exists(path)) continue;
    dir_.Write(path, "x");
    paths.insert(path.string());
  }
  plan_.operands = {"t"};
  EXPECT_THAT(Walk(), ::testing::ElementsAreArray(paths));
}

TEST_F(FileWalkTest, LinksInDirectoriesArePassedOverUnlessFollowed) {
  Touch("d/real");
  Touch("elsewhere/y");
  fs::create_symlink("real", "d/link");
  fs::create_symlink("../elsewhere", "d/sub");
  fs::create_symlink("nowhere", "d/dangling");
  fs::create_symlink("..", "d/up");
  plan_.operands = {"d"};
  EXPECT_THAT(Walk(), ElementsAre("d/real"));
  plan_.follow_links = true;
  plan_.operands = {"d/sub", "d"};
  EXPECT_THAT(Walk(), ElementsAre("d/sub/y", "d/dangling", "d/link", "d/real", "d/sub/y",
                                  "d/up/d: warning: recursive directory loop", "d/up/elsewhere/y"));
  plan_.report_loops = false;
  plan_.operands = {"d"};
  EXPECT_THAT(Walk(), ElementsAre("d/dangling", "d/link", "d/real", "d/sub/y", "d/up/elsewhere/y"));
}

TEST_F(FileWalkTest, ListedFilesOfALocalFileSystemAreKnownAsThat) {
  Touch("d/file");
  ASSERT_EQ(::mkfifo("d/fifo", 0600), 0);
  const os::Descriptor here(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool local = os::KindOfFileSystem(here.get()) == os::FileSystemKind::kLocal;
  const auto known = [&] {
    std::map<std::string, bool> tasks;
    FileWalk walk(plan_);
    while (const auto task = walk.Next()) tasks[task->label] = task->local_file;
    return tasks;
  };
  using Known = std::map<std::string, bool>;
  plan_.operands = {"d", "d/file", "/proc/self/net/dev"};
  plan_.devices = Devices::kRead;
  EXPECT_EQ(known(), (Known{{"d/fifo", false}, {"d/file", false}, {"/proc/self/net/dev", false}}));
  plan_.operands = {"d"};
  EXPECT_EQ(known(), (Known{{"d/fifo", false}, {"d/file", local}}));
  plan_.follow_links = true;  // then it may lead anywhere
  EXPECT_EQ(known(), (Known{{"d/fifo", false}, {"d/file", false}}));
  plan_.follow_links = false;
  plan_.operands = {"/proc/self/net"};
  const Known in_proc = known();
  EXPECT_FALSE(in_proc.empty());
  for (const auto& [label, is_local] : in_proc) EXPECT_FALSE(is_local) << label;
}

TEST_F(FileWalkTest, OperandThatIsALinkIsAlwaysFollowed) {
  Touch("real/x");
  fs::create_symlink("real", "link");
  plan_.operands = {"link"};
  EXPECT_THAT(Walk(), ElementsAre("link/x"));
}

TEST_F(FileWalkTest, DevicesAreFoundOnlyWhenAskedFor) {
  Touch("d/x");
  ASSERT_EQ(::mkfifo("d/fifo", 0600), 0);
  plan_.operands = {"d"};
  EXPECT_THAT(Walk(), ElementsAre("d/x"));
  plan_.devices = Devices::kRead;
  EXPECT_THAT(Walk(), ElementsAre("d/fifo", "d/x"));
  plan_.devices = Devices::kReadNamed;
  plan_.follow_links = true;
  EXPECT_THAT(Walk(), ElementsAre("d/fifo", "d/x"));
  plan_.devices = Devices::kSkip;
  EXPECT_THAT(Walk(), ElementsAre("d/x"));
  plan_.operands = {"d/fifo"};
  FileWalk walk(plan_);
  EXPECT_TRUE(walk.Next()->skip_device);
}

TEST_F(FileWalkTest, FiltersApplyToEntriesAndOperands) {
  Touch("d/a.c");
  Touch("d/a.h");
  Touch("d/skip/a.c");
  plan_.operands = {"d", "d/a.h", "d/a.c", "missing.h"};
  plan_.files.Include("*.c");
  plan_.subdirectories.Exclude("skip");
  EXPECT_THAT(Walk(), ElementsAre("d/a.c", "d/a.c", "missing.h"));
  plan_.subdirectories.Exclude("d");
  EXPECT_THAT(Walk(), ElementsAre("d/a.c", "missing.h"));
}

TEST_F(FileWalkTest, OutputFileIsReportedNotSearched) {
  Touch("d/a");
  Touch("d/out");
  struct stat status;
  ASSERT_EQ(::stat("d/out", &status), 0);
  plan_.output_file = FileIdentity{status.st_dev, status.st_ino};
  plan_.operands = {"d", "d/out"};
  EXPECT_THAT(Walk(), ElementsAre("d/a", "d/out: input file is also the output",
                                  "d/out: input file is also the output"));
}

TEST_F(FileWalkTest, SlashesOfAnOperandAreKeptButThoseAtItsEnd) {
  Touch("d/e/a");
  plan_.operands = {"d/", "d//", "./d//e", "d/."};
  EXPECT_THAT(Walk(), ElementsAre("d/e/a", "d/e/a", "./d//e/a", "d/./e/a"));
}

TEST_F(FileWalkTest, DirectoryThatVanishesIsAMessage) {
  Touch("d/a");
  Touch("d/b/x");
  Touch("d/c");
  plan_.operands = {"d"};
  FileWalk walk(plan_);
  EXPECT_EQ(walk.Next()->label, "d/a");
  fs::remove_all("d/b");
  EXPECT_EQ(walk.Next()->error, "d/b: No such file or directory");
  EXPECT_EQ(walk.Next()->label, "d/c");
  EXPECT_FALSE(walk.Next());
}

TEST_F(FileWalkTest, TreeDeeperThanPathsAndDescriptorsAllowIsWalkedToItsEnd) {
  constexpr int kDepth = 1500;  // beyond RLIMIT_NOFILE and, by its names, PATH_MAX
  const std::string name = "directory";
  ASSERT_EQ(::mkdir("deep", 0700), 0);
  int fd = ::open("deep", O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(fd, name.c_str(), 0700), 0);
    // Each level has a file behind its directory, so every level is returned to.
    const int file = ::openat(fd, "z", O_WRONLY | O_CREAT, 0600);
    ASSERT_GE(file, 0);
    ::close(file);
    const int next = ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_GE(next, 0);
    ::close(fd);
    fd = next;
  }
  ::close(fd);
  plan_.operands = {"deep"};
  FileWalk walk(plan_);
  int files = 0;
  std::size_t last_size = 100'000;
  while (const auto task = walk.Next()) {
    ASSERT_FALSE(task->error) << *task->error;
    const int opened = ::openat(task->directory_fd, task->path.c_str(), O_RDONLY);
    ASSERT_GE(opened, 0) << std::strerror(errno);
    ::close(opened);
    ASSERT_LT(task->label.size(), last_size);  // from the deepest upwards
    last_size = task->label.size();
    ++files;
  }
  EXPECT_EQ(files, kDepth);
}

TEST_F(FileWalkTest, HundredThousandEntriesComeInOrder) {
  constexpr int kEntries = 100'000;
  ASSERT_EQ(::mkdir("wide", 0700), 0);
  const int fd = ::open("wide", O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < kEntries; ++i) {
    ASSERT_EQ(::mknodat(fd, std::to_string(i).c_str(), S_IFREG | 0600, 0), 0);
  }
  ::close(fd);
  plan_.operands = {"wide"};
  FileWalk walk(plan_);
  std::string last;
  int count = 0;
  while (const auto task = walk.Next()) {
    ASSERT_LT(last, task->label);
    last = task->label;
    ++count;
  }
  EXPECT_EQ(count, kEntries);
}

TEST_F(FileWalkTest, ListsSubdirectoriesAheadOfTheirTurn) {
  for (const char* path : {"a", "b/b1", "b/c/c1", "d/d1", "e/e1", "f/f1", "g/g1", "h/h1"}) {
    Touch(path);
  }
  FileWalk walk(plan_);
  EXPECT_EQ(walk.Next()->label, "a");
  // b, d, e, f; then what is below b, and the others.
  for (int i = 0; i < 2; ++i) walk.Prepare()->Run();
  EXPECT_EQ(walk.Prepare(), nullptr);
  for (const char* path : {"b/b1", "b/c/c1", "d/d1", "h/h1"}) fs::remove(path);
  std::vector<std::string> labels;
  while (const auto task = walk.Next()) labels.push_back(task->label);
  EXPECT_THAT(labels, ElementsAre("b/b1", "b/c/c1", "d/d1", "e/e1", "f/f1", "g/g1", "h/h1"));
}

TEST_F(FileWalkTest, ListsOnlySoManyDirectoriesAhead) {
  Touch("a");
  for (int i = 0; i < 100; ++i) Touch("b" + std::to_string(i) + "/x");
  FileWalk walk(plan_);
  walk.Next();
  const auto open_descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = open_descriptors();
  while (const auto preparation = walk.Prepare()) preparation->Run();
  EXPECT_EQ(open_descriptors() - before, static_cast<std::ptrdiff_t>(FileWalk::kMostAhead));
  // And goes on when some have been entered.
  for (int i = 0; i < 3; ++i) walk.Next();
  const auto preparation = walk.Prepare();
  ASSERT_NE(preparation, nullptr);
  preparation->Run();
}

// Next waits for whoever has begun to list the directory that comes next.
TEST_F(FileWalkTest, WaitsForAListingThatIsBeingMade) {
  Touch("a");
  Touch("b/x");
  FileWalk walk(plan_);
  EXPECT_EQ(walk.Next()->label, "a");
  auto preparation = walk.Prepare();
  std::atomic<bool> run{false};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    run = true;
    preparation->Run();
  });
  EXPECT_EQ(walk.Next()->label, "b/x");
  EXPECT_TRUE(run);
  other.join();
}

}  // namespace
}  // namespace mr::walk
