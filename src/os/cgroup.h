// Control groups made for one experiment: where they may be made, and that they vanish again.
//
// Version 2 has one tree for all controllers, version 1 one tree for each. A process can be in
// one group of a tree only, so everything that limits the same processes shares a GroupSet.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mr::os {

// No group could be made or set up. what() is a sentence for the user: what failed, why, and
// what would help.
class CgroupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where the kernel's view of control groups is found; changed by tests only.
struct CgroupPaths {
  std::string root = "/sys/fs/cgroup";
  std::string self = "/proc/self/cgroup";
};

enum class Controller { kMemory, kIo };  // kIo is "io" in version 2, "blkio" in version 1

// 1 or 2: how `controller` is available under `paths`. 0: not at all.
int CgroupVersion(Controller controller, const CgroupPaths& paths = {});

// The directories of the groups that this process is in, from the innermost to the root of the
// tree. Empty where there is no such controller.
std::vector<std::string> OwnGroups(Controller controller, const CgroupPaths& paths = {});

// One group. Its directory is removed by the destructor: nothing is moved and nothing killed, so
// it stays when processes still live in it; a later GroupSet removes it once this process is
// gone. Not thread-safe.
class Cgroup {
 public:
  // Takes charge of a directory that exists. Made by GroupSet.
  Cgroup(std::string directory, int version);
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  const std::string& directory() const { return directory_; }
  int version() const { return version_; }
  std::string procs_file() const { return directory_ + "/cgroup.procs"; }

  // The whole content of a file of the group. Throws CgroupError.
  std::string Read(std::string_view file) const;
  // Throws CgroupError with `purpose` ("set the memory limit") and the kernel's reason.
  void Write(std::string_view file, std::string_view value, std::string_view purpose) const;

 private:
  std::string directory_;
  int version_;
};

// The groups of one experiment, made when first asked for. Groups are named
// "mrbench-MARK-N" (os/maker.h); those left by a run that was killed are removed first.
class GroupSet {
 public:
  explicit GroupSet(CgroupPaths paths = {});
  ~GroupSet();
  GroupSet(const GroupSet&) = delete;
  GroupSet& operator=(const GroupSet&) = delete;

  // The group that limits `controller`; in version 2 the same for all. Throws CgroupError when
  // there is none to be had.
  std::shared_ptr<Cgroup> For(Controller controller);

  // For Command::cgroup_procs_files: one file for each tree.
  std::vector<std::string> procs_files() const;

 private:
  struct Member;
  CgroupPaths paths_;
  std::vector<Member> members_;
};

// Removes groups that a dead run left behind in the places where GroupSet makes them, and ends what
// still runs in them (os/orphans.h). Returns how many. Groups of other PID namespaces are left
// alone: whether their makers live cannot be seen from here. Never throws for groups that cannot be
// removed.
std::size_t RemoveStaleGroups(const CgroupPaths& paths = {});

}  // namespace mr::os
