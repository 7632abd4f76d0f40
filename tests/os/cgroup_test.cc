#include "os/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "os/disk_limit.h"
#include "os/error.h"
#include "os/maker.h"
#include "os/memory_limit.h"
#include "os/page_cache.h"
#include "os/process.h"
#include "os/text_file.h"
#include "scratch.h"

namespace mr::os {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A tree of plain files that looks like a control group file system. Unlike in a real one, files
// are made by writing to them, and directories with files cannot be removed.
class FakeTree {
 public:
  FakeTree() { Self("0::/\n"); }
  CgroupPaths paths() const { return {scratch_.Path("cgroup"), scratch_.Path("self")}; }
  void Self(const std::string& text) { scratch_.Write("self", text); }
  std::string Path(const std::string& name) const { return scratch_.Path("cgroup/" + name); }
  void Write(const std::string& name, const std::string& text) {
    scratch_.Write("cgroup/" + name, text);
  }
  // A group of version 2. With `refuses`, switching controllers on fails, as it does in a group
  // that holds processes.
  void Group(const std::string& name, const std::string& controllers, const std::string& passed_on,
             bool refuses = false) {
    const std::string prefix = name.empty() ? "" : name + "/";
    Write(prefix + "cgroup.controllers", controllers + "\n");
    if (refuses) {
      fs::create_directories(Path(prefix + "cgroup.subtree_control"));
    } else {
      Write(prefix + "cgroup.subtree_control", passed_on + "\n");
    }
  }
  std::string Read(const std::string& name) const { return ReadText(Path(name)).value_or("none"); }
  std::vector<std::string> GroupsIn(const std::string& name) const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(Path(name))) {
      if (entry.path().filename().string().starts_with("mrbench-")) {
        result.push_back(entry.path().filename());
      }
    }
    return result;
  }

 private:
  Scratch scratch_;
};

std::string Directory(const std::string& path) { return fs::path(path).parent_path(); }

TEST(Cgroup2, IsMadeInTheNearestGroupThatPassesTheControllerOn) {
  FakeTree tree;
  tree.Self("0::/user.slice/session.scope\n");
  tree.Group("", "cpu io memory", "cpu io memory");
  tree.Group("user.slice", "cpu io memory", "memory io");
  tree.Group("user.slice/session.scope", "io memory", "", true);
  GroupSet groups(tree.paths());
  EXPECT_EQ(CgroupVersion(Controller::kMemory, tree.paths()), 2);
  const MemoryLimit limit(groups, 100 << 20);
  EXPECT_EQ(limit.group().version(), 2);
  EXPECT_EQ(Directory(limit.group().directory()), tree.Path("user.slice"));
  EXPECT_EQ(limit.group().Read("memory.max"), std::to_string(100 << 20));
  EXPECT_EQ(limit.limit_bytes(), 100U << 20);
  EXPECT_EQ(tree.Read("user.slice/cgroup.subtree_control"), "memory io\n");
  EXPECT_EQ(tree.Read("cgroup.subtree_control"), "cpu io memory\n");
}

TEST(Cgroup2, SwitchesTheControllerOnWhereItMay) {
  FakeTree tree;
  tree.Self("0::/delegated\n");
  tree.Group("", "io memory", "");
  tree.Group("delegated", "io memory", "pids");
  GroupSet groups(tree.paths());
  const auto group = groups.For(Controller::kMemory);
  EXPECT_EQ(Directory(group->directory()), tree.Path("delegated"));
  EXPECT_EQ(tree.Read("delegated/cgroup.subtree_control"), "+memory");
}

TEST(Cgroup2, PrefersAPlaceThatOffersBothControllers) {
  FakeTree tree;
  tree.Self("0::/user/own\n");
  tree.Group("", "io memory", "io memory");
  tree.Group("user", "io memory", "io memory");
  tree.Group("user/own", "memory", "memory");
  GroupSet groups(tree.paths());
  const MemoryLimit memory(groups, 1 << 20);
  const DiskLimit disk(groups, Disk{254, 0, "vda"}, 1'000'000);
  EXPECT_EQ(&memory.group(), &disk.group());
  EXPECT_EQ(Directory(memory.group().directory()), tree.Path("user"));
  EXPECT_EQ(disk.group().Read("io.max"), "254:0 rbps=1000000");
  EXPECT_THAT(groups.procs_files(),
              ::testing::ElementsAre(memory.group().directory() + "/cgroup.procs"));
}

TEST(Cgroup2, PrefersAPlaceWhereControllersAreOnAlready) {
  // As on a machine with systemd, where user slices pass on memory only.
  FakeTree tree;
  tree.Self("0::/user.slice/user-0.slice/session-1.scope\n");
  tree.Group("", "cpu io memory pids", "cpu io memory pids");
  tree.Group("user.slice", "cpu io memory pids", "memory pids");
  tree.Group("user.slice/user-0.slice", "memory pids", "memory pids");
  tree.Group("user.slice/user-0.slice/session-1.scope", "memory pids", "", true);
  GroupSet groups(tree.paths());
  const MemoryLimit memory(groups, 1 << 20);
  const DiskLimit disk(groups, Disk{254, 0, "vda"}, 1'000'000);
  EXPECT_EQ(Directory(memory.group().directory()), tree.paths().root);
  EXPECT_EQ(tree.Read("user.slice/cgroup.subtree_control"), "memory pids\n");
}

TEST(Cgroup2, StaysUnderALimitThatAlreadyHolds) {
  FakeTree tree;
  tree.Self("0::/limited/own\n");
  tree.Group("", "io memory", "io memory");
  tree.Group("limited", "io memory", "memory");
  tree.Write("limited/memory.max", "1073741824\n");
  tree.Group("limited/own", "memory", "", true);
  GroupSet groups(tree.paths());
  EXPECT_EQ(Directory(groups.For(Controller::kMemory)->directory()), tree.Path("limited"));
}

TEST(Cgroup2, MakesDoWithMemoryWhereThereIsNoIo) {
  FakeTree tree;
  tree.Group("", "cpu memory", "memory");
  GroupSet groups(tree.paths());
  EXPECT_EQ(Directory(groups.For(Controller::kMemory)->directory()), tree.paths().root);
  try {
    groups.For(Controller::kIo);
    FAIL() << "nothing was thrown";
  } catch (const CgroupError& error) {
    EXPECT_THAT(error.what(), StartsWith("this system has no io controller for control groups"));
  }
}

TEST(Cgroup2, IsFoundBesideVersion1) {
  FakeTree tree;
  tree.Self("4:cpu,cpuacct:/x\n0::/\n");
  tree.Group("unified", "memory", "memory");
  EXPECT_EQ(CgroupVersion(Controller::kMemory, tree.paths()), 2);
  EXPECT_EQ(CgroupVersion(Controller::kIo, tree.paths()), 0);
  GroupSet groups(tree.paths());
  EXPECT_EQ(Directory(groups.For(Controller::kMemory)->directory()), tree.Path("unified"));
}

TEST(Cgroup2, ExplainsThatNoPlaceWillDo) {
  FakeTree tree;
  tree.Self("0::/scope\n");
  tree.Group("", "io memory", "", true);
  tree.Group("scope", "io memory", "", true);
  GroupSet groups(tree.paths());
  try {
    groups.For(Controller::kMemory);
    FAIL() << "nothing was thrown";
  } catch (const CgroupError& error) {
    EXPECT_THAT(error.what(), StartsWith("cannot create a memory cgroup under " +
                                         tree.Path("scope") + ": Is a directory; run as root, or"));
    EXPECT_THAT(error.what(), HasSubstr("systemd-run --user --scope"));
  }
  EXPECT_TRUE(tree.GroupsIn("scope").empty());
}

TEST(Cgroup2, StaysInsideTheTreeWhenTheOwnGroupIsNotVisible) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  for (const char* self : {"0::/../../other\n", "0::/not/here\n", "", "garbage\n"}) {
    tree.Self(self);
    GroupSet groups(tree.paths());
    EXPECT_EQ(groups.For(Controller::kMemory)->directory().rfind(tree.Path("mrbench-"), 0), 0U);
  }
}

TEST(Cgroup2, ReadsCountersUnderCommonNames) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  GroupSet groups(tree.paths());
  MemoryLimit limit(groups, 1 << 20);
  const std::string name = limit.group().directory().substr(tree.Path("").size());
  tree.Write(name + "/memory.stat", "file 8192\nworkingset_refault_file 7\npgscan 30\n");
  tree.Write(name + "/memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\n");
  tree.Write(name + "/memory.current", "12288\n");
  tree.Write(name + "/memory.peak", "16384\n");
  const Counters counters = limit.ReadCounters();
  EXPECT_EQ(Find(counters, "workingset_refault_file"), 7);
  EXPECT_EQ(Find(counters, "pgscan"), 30);
  EXPECT_EQ(Find(counters, "limit_hits"), 12);
  EXPECT_EQ(Find(counters, "oom_kills"), 2);
  EXPECT_EQ(limit.ChargedBytes(), 12288U);
  EXPECT_EQ(limit.PeakBytes(), 16384U);
  tree.Write(name + "/memory.reclaim", "");
  limit.Reclaim();
  EXPECT_EQ(tree.Read(name + "/memory.reclaim"), "12288");
}

TEST(Cgroup2, ForbidsSwapWhereItCan) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  GroupSet groups(tree.paths());
  const auto group = groups.For(Controller::kMemory);
  group->Write("memory.swap.max", "max", "prepare the test");
  const MemoryLimit limit(groups, 1 << 20);
  EXPECT_EQ(group->Read("memory.swap.max"), "0");
  EXPECT_TRUE(limit.limits_swap());
}

TEST(Cgroup2, TellsWhereItCannotForbidSwap) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  GroupSet groups(tree.paths());
  EXPECT_FALSE(MemoryLimit(groups, 1 << 20).limits_swap());
}

TEST(Cgroup2, TellsTheLowestEnclosingLimit) {
  FakeTree tree;
  tree.Self("0::/a/b\n");
  tree.Group("", "io memory", "io memory");
  tree.Group("a", "io memory", "io memory");
  tree.Group("a/b", "io memory", "io memory");
  EXPECT_EQ(InheritedMemoryLimit(tree.paths()), std::nullopt);
  tree.Write("a/memory.max", "1048576\n");
  tree.Write("a/b/memory.max", "max\n");
  EXPECT_EQ(InheritedMemoryLimit(tree.paths()), 1048576U);
  tree.Write("a/b/memory.max", "4096\n");
  EXPECT_EQ(InheritedMemoryLimit(tree.paths()), 4096U);
}

class Cgroup1 : public ::testing::Test {
 protected:
  Cgroup1() {
    tree_.Self("9:name=systemd:/x\n7:blkio:/jobs\n4:memory:/jobs/own\n0::/\n");
    for (const char* group : {"memory", "memory/jobs/own", "blkio", "blkio/jobs"}) {
      tree_.Write(std::string(group) + "/cgroup.procs", "");
    }
  }
  FakeTree tree_;
};

TEST_F(Cgroup1, HasATreeForEachController) {
  EXPECT_EQ(CgroupVersion(Controller::kMemory, tree_.paths()), 1);
  EXPECT_EQ(CgroupVersion(Controller::kIo, tree_.paths()), 1);
  GroupSet groups(tree_.paths());
  const MemoryLimit memory(groups, 64 << 20);
  const DiskLimit disk(groups, Disk{8, 16, "sdb"}, 26'000'000);
  EXPECT_EQ(Directory(memory.group().directory()), tree_.Path("memory"));
  EXPECT_EQ(Directory(disk.group().directory()), tree_.Path("blkio"));
  EXPECT_EQ(memory.group().Read("memory.limit_in_bytes"), std::to_string(64 << 20));
  EXPECT_EQ(disk.group().Read("blkio.throttle.read_bps_device"), "8:16 26000000");
  EXPECT_EQ(groups.procs_files(),
            (std::vector<std::string>{memory.group().procs_file(), disk.group().procs_file()}));
}

TEST_F(Cgroup1, StaysUnderALimitThatAlreadyHolds) {
  tree_.Write("memory/jobs/own/memory.stat",
              "cache 0\nhierarchical_memory_limit 1073741824\ntotal_cache 0\n");
  GroupSet groups(tree_.paths());
  EXPECT_EQ(Directory(groups.For(Controller::kMemory)->directory()), tree_.Path("memory/jobs/own"));
}

TEST_F(Cgroup1, ForbidsSwapWhereItCanAndTellsWhereItCannot) {
  GroupSet groups(tree_.paths());
  const auto group = groups.For(Controller::kMemory);
  EXPECT_FALSE(MemoryLimit(groups, 1 << 20).limits_swap());
  group->Write("memory.memsw.limit_in_bytes", "9223372036854771712", "prepare the test");
  EXPECT_TRUE(MemoryLimit(groups, 1 << 20).limits_swap());
  EXPECT_EQ(group->Read("memory.memsw.limit_in_bytes"), std::to_string(2 << 20));
}

TEST_F(Cgroup1, IgnoresLimitsThatAreNone) {
  tree_.Write("memory/jobs/own/memory.stat", "hierarchical_memory_limit 9223372036854771712\n");
  tree_.Write("memory/jobs/own/memory.limit_in_bytes", "9223372036854771712\n");
  GroupSet groups(tree_.paths());
  EXPECT_EQ(Directory(groups.For(Controller::kMemory)->directory()), tree_.Path("memory"));
  EXPECT_EQ(InheritedMemoryLimit(tree_.paths()), std::nullopt);
  tree_.Write("memory/memory.limit_in_bytes", "65536\n");
  EXPECT_EQ(InheritedMemoryLimit(tree_.paths()), 65536U);
}

TEST_F(Cgroup1, ReadsCountersUnderCommonNames) {
  GroupSet groups(tree_.paths());
  const MemoryLimit limit(groups, 1 << 20);
  const std::string name = "memory/" + fs::path(limit.group().directory()).filename().string();
  tree_.Write(name + "/memory.stat", "workingset_refault_file 3\n");
  tree_.Write(name + "/memory.failcnt", "4\n");
  tree_.Write(name + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 6\n");
  const Counters counters = limit.ReadCounters();
  EXPECT_EQ(Find(counters, "limit_hits"), 4);
  EXPECT_EQ(Find(counters, "oom_kills"), 6);
  EXPECT_EQ(Find(counters, "workingset_refault_file"), 3);
}

TEST(Cgroup, ExplainsThatThereIsNone) {
  FakeTree tree;
  EXPECT_EQ(CgroupVersion(Controller::kMemory, tree.paths()), 0);
  EXPECT_TRUE(OwnGroups(Controller::kMemory, tree.paths()).empty());
  GroupSet groups(tree.paths());
  try {
    const MemoryLimit limit(groups, 1);
    FAIL() << "nothing was thrown";
  } catch (const CgroupError& error) {
    EXPECT_EQ(error.what(), "this system has no memory controller for control groups (looked in " +
                                tree.paths().root + ")");
  }
  EXPECT_EQ(RemoveStaleGroups(tree.paths()), 0U);
}

TEST(Cgroup, NamesFileAndReasonWhenItCannotBeWritten) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  GroupSet groups(tree.paths());
  const auto group = groups.For(Controller::kMemory);
  fs::create_directory(group->directory() + "/memory.max");
  try {
    const MemoryLimit limit(groups, 4096);
    FAIL() << "nothing was thrown";
  } catch (const CgroupError& error) {
    EXPECT_EQ(error.what(), "cannot set the memory limit: writing \"4096\" to " +
                                group->directory() + "/memory.max: Is a directory");
  }
  EXPECT_THROW(group->Read("missing"), CgroupError);
}

TEST(Cgroup, TellsThatAValueWasNotTakenWhole) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  const std::string failure = InChild(false, [&tree]() -> std::string {
    GroupSet groups(tree.paths());
    const auto group = groups.For(Controller::kMemory);
    const rlimit two_bytes = {2, 2};
    ::setrlimit(RLIMIT_FSIZE, &two_bytes);
    try {
      group->Write("memory.max", "4096", "set the memory limit");
    } catch (const CgroupError& error) {
      return std::string(error.what()).ends_with("/memory.max: Input/output error") ? ""
                                                                                    : error.what();
    }
    return "nothing was thrown";
  });
  EXPECT_EQ(failure, "");
}

TEST(Cgroup, RemovesGroupsOfDeadRunsOnly) {
  FakeTree tree;
  tree.Group("", "io memory", "io memory");
  const std::string own = "mrbench-" + OwnMark();
  const std::string dead = "mrbench-" + MarkOfTheDead();
  const std::vector<std::string> kept = {own + "-99",    "mrbench-notes", "mrbench-x-1-2",
                                         "mrbench--1-2", "other-1-1-1",   "mrbench-4194305-123-0"};
  const std::vector<std::string> stale = {dead + "-0", dead + "-1"};
  for (const std::string& name : kept) fs::create_directory(tree.Path(name));
  for (const std::string& name : stale) fs::create_directory(tree.Path(name));
  tree.Write(dead + "-2/in-use", "");
  EXPECT_EQ(RemoveStaleGroups(tree.paths()), stale.size());
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(tree.Path(name))) << name;
  for (const std::string& name : stale) EXPECT_FALSE(fs::exists(tree.Path(name))) << name;
  EXPECT_TRUE(fs::exists(tree.Path(dead + "-2")));
}

TEST_F(Cgroup1, IsNotEmptiedOfWhatItCachesWhileSomebodyMayLiveInIt) {
  // That these are no control groups of a kernel stands for processes that cannot be ended.
  const std::string group = "memory/mrbench-" + MarkOfTheDead() + "-0";
  tree_.Write(group + "/memory.force_empty", "untouched");
  EXPECT_EQ(RemoveStaleGroups(tree_.paths()), 0U);
  EXPECT_EQ(tree_.Read(group + "/memory.force_empty"), "untouched");
}

TEST_F(Cgroup1, IsEmptiedOfWhatItCachesByItsMaker) {
  std::string file;
  {
    GroupSet groups(tree_.paths());
    file = groups.For(Controller::kMemory)->directory() + "/memory.force_empty";
    std::ofstream(file) << "untouched";
  }
  EXPECT_EQ(ReadText(file), "0");
}

TEST(Cgroup, NeedsTheRight) {
  if (CgroupVersion(Controller::kMemory) == 0) std::cout << "missing: a memory controller\n";
  const std::string failure = InChild(IsRoot(), []() -> std::string {
    GroupSet groups;
    try {
      groups.For(Controller::kMemory);
    } catch (const CgroupError& error) {
      const std::string what = error.what();
      if (CgroupVersion(Controller::kMemory) == 0) return what.find("no memory") != 0 ? "" : what;
      const bool sentence = what.starts_with("cannot create a memory cgroup under /") &&
                            what.find("; run as root, or") != std::string::npos;
      return sentence ? "" : what;
    }
    // Somebody without root may have been given a group of their own.
    return ::geteuid() == 65534 ? "nobody made a group" : "";
  });
  EXPECT_EQ(failure, "");
}

}  // namespace
}  // namespace mr::os
