#include "lab/data/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "io/size.h"
#include "os/error.h"

namespace mr::lab {
namespace {

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

PartialFile::PartialFile(std::string path)
    : path_(std::move(path)), partial_path_(path_ + ".partial") {
  while (true) {
    fd_ = os::Descriptor(
        ::open(partial_path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!fd_) throw os::IoError(path_, errno);
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        throw os::IoError(path_, "another process is making this file");
      }
      if (errno != ENOLCK && errno != EOPNOTSUPP) throw os::IoError(partial_path_, errno);
    }
    // What we have opened may have been published or removed by its owner before we got the lock.
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd_.get(), &opened) != 0) throw os::IoError(partial_path_, errno);
    if (::lstat(partial_path_.c_str(), &named) == 0 && IsSameFile(opened, named)) break;
  }
  if (::ftruncate(fd_.get(), 0) != 0) throw os::IoError(partial_path_, errno);
}

PartialFile::~PartialFile() {
  // Still locked: nobody else can have made a file of this name in the meantime.
  if (!published_) ::unlink(partial_path_.c_str());
}

void PartialFile::RequireRoom(std::uint64_t bytes) const {
  struct statvfs room {};
  int result = 0;
  do {
    result = ::fstatvfs(fd_.get(), &room);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw os::IoError(partial_path_, errno);
  const std::uint64_t free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
  const std::uint64_t wanted = bytes + bytes / 64 + (std::uint64_t{1} << 20);
  if (free_bytes < wanted) {
    throw os::IoError(
        path_, fmt::format("not enough room: {} needed, {} free in {}",
                           io::RoughSize(static_cast<double>(wanted)),
                           io::RoughSize(static_cast<double>(free_bytes)), DirectoryOf(path_)));
  }
}

void PartialFile::SetSize(std::uint64_t bytes) {
  if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) {
    throw os::IoError(partial_path_, errno);
  }
}

void PartialFile::Write(std::span<const char> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw os::IoError(partial_path_, errno, offset);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void PartialFile::StartWriteback(std::uint64_t offset, std::uint64_t bytes) const {
  // Only a hint: file systems that do not know it write when fsync(2) comes.
  ::sync_file_range(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
}

void PartialFile::Sync(std::uint64_t size_bytes,
                       const std::function<void(std::uint64_t)>& progress) const {
  // In pieces, so that there is progress to tell of; fsync(2) then does what this cannot promise.
  constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 20;
  for (std::uint64_t at = 0; at < size_bytes; at += kPieceBytes) {
    progress(at);
    ::sync_file_range(
        fd_.get(), static_cast<off_t>(at), static_cast<off_t>(kPieceBytes),
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  }
  if (::fsync(fd_.get()) != 0) throw os::IoError(partial_path_, errno);
  progress(size_bytes);
}

void PartialFile::Publish() {
  if (::rename(partial_path_.c_str(), path_.c_str()) != 0) throw os::IoError(path_, errno);
  published_ = true;
}

void SyncDirectoryOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  const os::Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) throw os::IoError(directory, errno);
  // Some network file systems cannot sync directories; they are durable by other means.
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw os::IoError(directory, errno);
  }
}

}  // namespace mr::lab
