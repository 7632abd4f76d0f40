#include "os/scratch_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "os/error.h"

namespace mr::os {
namespace {

namespace fs = std::filesystem;

void RemoveTree(const std::string& path) {
  std::error_code ignored;  // what cannot be removed is tried again by the next process
  fs::remove_all(path, ignored);
}

bool IsOwnDirectory(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

// One without a lock is just being made.
void RemoveWhatTheDeadLeft(const std::string& parent, const std::string& prefix) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path();
    if (!entry->path().filename().string().starts_with(prefix) || !IsOwnDirectory(path)) continue;
    const Descriptor lock(::open((path + "/" + ScratchDirectory::kLockName).c_str(),
                                 O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) RemoveTree(path);
  }
}

// False when somebody took the directory for a dead process's before it was locked.
bool Lock(const std::string& directory, Descriptor& lock) {
  const std::string path = directory + "/" + ScratchDirectory::kLockName;
  lock = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!lock) {
    const int error_number = errno;
    ::rmdir(directory.c_str());
    throw IoError(path, error_number);
  }
  while (::flock(lock.get(), LOCK_EX) != 0) {
    // Where there are no locks, nobody else gets one either, so that nothing is ever removed.
    if (errno != EINTR) return true;
  }
  return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace

ScratchDirectory::ScratchDirectory(const std::string& parent, const std::string& kind) {
  const std::string prefix = kind + ".";
  RemoveWhatTheDeadLeft(parent, prefix);
  do {
    path_ = parent + "/" + prefix + "XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw IoError(parent, errno);
  } while (!Lock(path_, lock_));
}

ScratchDirectory::~ScratchDirectory() { RemoveTree(path_); }

}  // namespace mr::os
