#include "walk/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "os/file_system.h"

namespace mr::walk {
namespace {

EntryKind KindOfMode(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kDirectory;
  if (S_ISLNK(mode)) return EntryKind::kLink;
  return EntryKind::kDevice;
}

// Nothing when the kernel's word for it is not enough.
std::optional<EntryKind> KindOfType(unsigned char type, bool follow) {
  switch (type) {
    case DT_REG:
      return EntryKind::kFile;
    case DT_DIR:
      return EntryKind::kDirectory;
    case DT_LNK:
      if (follow) return std::nullopt;
      return EntryKind::kLink;
    case DT_FIFO:
    case DT_CHR:
    case DT_BLK:
    case DT_SOCK:
      return EntryKind::kDevice;
    default:
      return std::nullopt;  // some file systems do not say
  }
}

EntryKind KindByStat(int directory_fd, const char* name, bool follow) {
  struct stat status;
  if (::fstatat(directory_fd, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0) {
    return KindOfMode(status.st_mode);
  }
  // A link that leads nowhere, or a file that has gone: opening it will say.
  return follow ? EntryKind::kFile : EntryKind::kLink;
}

}  // namespace

OpenDirectory OpenDirectoryAt(int parent_fd, const char* name, bool follow) {
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
  const int fd = ::openat(parent_fd, name, flags);
  if (fd < 0) return nullptr;
  return std::make_shared<const os::Descriptor>(fd);
}

int DirectoryListing::Read(const os::Descriptor& directory, bool follow) {
  alignas(dirent64) char buffer[32 * 1024];
  int error = 0;
  while (true) {
    const ssize_t bytes = ::getdents64(directory.get(), buffer, sizeof buffer);
    // A directory that has been removed meanwhile has no entries left, as readdir(3) sees it.
    if (bytes < 0 && errno != ENOENT) error = errno;
    if (bytes <= 0) break;
    for (ssize_t at = 0; at < bytes;) {
      const auto* record = reinterpret_cast<const dirent64*>(buffer + at);
      at += record->d_reclen;
      const char* name = record->d_name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      std::optional<EntryKind> kind = KindOfType(record->d_type, follow);
      if (!kind) kind = KindByStat(directory.get(), name, follow);
      const std::size_t name_size = std::strlen(name);
      entries_.push_back(
          {record->d_ino, names_.size(), static_cast<std::uint16_t>(name_size), *kind});
      names_.append(name, name_size);
      names_ += '/';
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [this](const Entry& a, const Entry& b) { return SortKey(a) < SortKey(b); });
  return error;
}

std::string_view DirectoryListing::SortKey(const Entry& entry) const {
  const std::size_t slash = entry.kind == EntryKind::kDirectory ? 1 : 0;
  return {names_.data() + entry.name_begin, entry.name_size + slash};
}

ListedDirectory List(OpenDirectory directory, bool follow) {
  ListedDirectory listed;
  listed.local = os::KindOfFileSystem(directory->get()) == os::FileSystemKind::kLocal;
  listed.error = listed.entries.Read(*directory, follow);
  listed.directory = std::move(directory);
  return listed;
}

}  // namespace mr::walk
