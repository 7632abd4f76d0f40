#include "os/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "os/page_cache.h"

namespace mr::os {
namespace {

// Of <linux/stat.h> since 6.1, newer than the C library's headers here: the mask bit, and where
// stx_dio_mem_align and stx_dio_offset_align stand in struct statx.
constexpr unsigned kStatxDioAlign = 0x2000;
constexpr std::size_t kDioAlignOffset = 152;

constexpr int kRwfDontCache = 0x80;  // RWF_DONTCACHE of <linux/fs.h>, newer than these headers

#ifndef SYS_openat2
#define SYS_openat2 437  // the same on all architectures
#endif

// As open_how of <linux/openat2.h> and its RESOLVE_NO_XDEV; that header needs the kernel's own.
int OpenOnSameMount(int directory_fd, const char* path, int flags) {
  struct {
    std::uint64_t flags, mode, resolve;
  } const how{static_cast<std::uint64_t>(flags), 0, 1};
  return static_cast<int>(::syscall(SYS_openat2, directory_fd, path, &how, sizeof how));
}

}  // namespace

int ReadOptions::Flags() const { return dont_cache ? kRwfDontCache : 0; }

File File::Open(const std::string& path, std::string name, int directory_fd, OpenOptions options) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (options.nonblocking ? O_NONBLOCK : 0) |
                    (options.no_follow ? O_NOFOLLOW : 0);
  int fd = -1;
  do {
    fd = options.same_mount ? OpenOnSameMount(directory_fd, path.c_str(), flags)
                            : ::openat(directory_fd, path.c_str(), flags);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw IoError(std::move(name), errno);
  return {fd, std::move(name), true};
}

File File::StandardInput(std::string name) { return {STDIN_FILENO, std::move(name), false}; }

File::File(File&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), name_(std::move(other.name_)), owned_(other.owned_) {}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  std::swap(owned_, other.owned_);
  return *this;
}

File::~File() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

FileInfo File::Info() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) throw IoError(name_, errno);
  FileInfo info;
  if (S_ISREG(status.st_mode)) {
    info.kind = FileKind::kRegular;
  } else if (S_ISDIR(status.st_mode)) {
    info.kind = FileKind::kDirectory;
  } else if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    info.kind = FileKind::kPipe;
  } else if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
    info.kind = FileKind::kDevice;
  }
  info.size_bytes = static_cast<std::uint64_t>(status.st_size);
  info.allocated_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512;
  info.device = status.st_dev;
  info.inode = status.st_ino;
  return info;
}

std::uint64_t File::StartPosition() const {
  if (owned_) return 0;
  const off_t position = ::lseek(fd_, 0, SEEK_CUR);
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

std::size_t File::ReadAt(char* buffer, std::size_t bytes, std::uint64_t offset,
                         ReadOptions options) const {
  const iovec piece{buffer, std::min(bytes, kMaxTransferBytes)};
  ssize_t got = -1;
  do {
    got = options.dont_cache
              ? ::preadv2(fd_, &piece, 1, static_cast<off_t>(offset), options.Flags())
              : ::pread(fd_, piece.iov_base, piece.iov_len, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw IoError(name_, errno, offset);
  return static_cast<std::size_t>(got);
}

std::size_t File::Read(char* buffer, std::size_t bytes) {
  ssize_t got = -1;
  do {
    got = ::read(fd_, buffer, std::min(bytes, kMaxTransferBytes));
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw IoError(name_, errno);
  return static_cast<std::size_t>(got);
}

bool File::HasInput() const {
  pollfd descriptor{fd_, POLLIN, 0};
  return ::poll(&descriptor, 1, 0) == 1 && (descriptor.revents & POLLIN) != 0;
}

off_t File::Seek(std::uint64_t offset, int whence) const {
  const off_t position = owned_ ? 0 : ::lseek(fd_, 0, SEEK_CUR);
  const off_t found = ::lseek(fd_, static_cast<off_t>(offset), whence);
  const int error = errno;
  if (!owned_) ::lseek(fd_, position, SEEK_SET);
  errno = error;
  return found;
}

std::uint64_t File::NextData(std::uint64_t offset, std::uint64_t size) const {
  const off_t found = Seek(offset, SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  return errno == ENXIO ? size : offset;
}

std::uint64_t File::NextHole(std::uint64_t offset, std::uint64_t size) const {
  const off_t found = Seek(offset, SEEK_HOLE);
  return found < 0 ? size : static_cast<std::uint64_t>(found);
}

File File::OpenAgain(int flags) const {
  const std::string path = "/proc/self/fd/" + std::to_string(fd_);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) {
    if (errno == EINVAL && flags != 0) throw IoError(name_, "the file system has no direct IO");
    throw IoError(name_, errno);
  }
  return {fd, name_, true};
}

File File::Reopen() const { return OpenAgain(0); }

File File::ReopenDirect() const { return OpenAgain(O_DIRECT); }

DirectAlignment File::AlignmentForDirect() const {
  const auto page = static_cast<std::size_t>(PageBytes());
  struct statx status;
  if (::statx(fd_, "", AT_EMPTY_PATH, kStatxDioAlign, &status) == 0 &&
      (status.stx_mask & kStatxDioAlign) != 0) {
    const auto* fields = reinterpret_cast<const char*>(&status) + kDioAlignOffset;
    std::uint32_t memory = 0;
    std::uint32_t offset = 0;
    std::memcpy(&memory, fields, sizeof memory);
    std::memcpy(&offset, fields + sizeof memory, sizeof offset);
    if (offset == 0) throw IoError(name_, "the file system has no direct IO");
    return {std::max<std::size_t>(memory, 1), offset};
  }
  return {page, page};
}

void File::Advise(int advice, std::uint64_t offset, std::uint64_t bytes) const {
  static_cast<void>(
      ::posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), advice));
}

}  // namespace mr::os
