// A directory for files that are needed while a process runs and not longer.
#pragma once

#include <string>

#include "os/descriptor.h"

namespace mr::os {

// A new directory that is removed with all it holds. When its process is killed, it stays until the
// next of its kind is made in the same place: while its owner lives a lock is held on a file in it,
// which tells that to other PID namespaces and, where the file system passes locks on, to other
// machines too.
class ScratchDirectory {
 public:
  // PARENT/KIND.XXXXXX. Removes first what dead processes of this user left there. Throws IoError.
  ScratchDirectory(const std::string& parent, const std::string& kind);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }

  // The file with the lock is the only one that is there at the beginning.
  static constexpr const char* kLockName = "lock";

 private:
  std::string path_;
  Descriptor lock_;
};

}  // namespace mr::os
