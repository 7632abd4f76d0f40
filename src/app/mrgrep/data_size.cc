#include "app/mrgrep/data_size.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace mr::app {

DataSize CountBytes(const walk::WalkPlan& plan, std::uint64_t enough,
                    const std::atomic<bool>* stop) {
  walk::FileWalk files(plan);
  DataSize size;
  while (size.bytes <= enough && (stop == nullptr || !*stop)) {
    const auto task = files.Next();
    if (!task) return size;
    if (task->error) continue;
    struct stat status;
    const int flags = task->follow_symlink ? 0 : AT_SYMLINK_NOFOLLOW;
    const int result = task->is_stdin
                           ? ::fstat(STDIN_FILENO, &status)
                           : ::fstatat(task->directory_fd, task->path.c_str(), &status, flags);
    if (result != 0) continue;
    if (!S_ISREG(status.st_mode)) {
      size.complete = size.complete && (task->skip_device || S_ISLNK(status.st_mode));
      continue;
    }
    // What a file does not have on disk is not read, or takes no room in the cache.
    size.bytes +=
        static_cast<std::uint64_t>(std::min<off_t>(status.st_size, status.st_blocks * 512));
  }
  size.complete = false;
  return size;
}

}  // namespace mr::app
