// An open file with the name it has in messages.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "os/error.h"

namespace mr::os {

enum class FileKind { kRegular, kDirectory, kPipe, kDevice, kOther };

struct FileInfo {
  FileKind kind = FileKind::kOther;
  std::uint64_t size_bytes = 0;       // as stat(2) says: 0 for most of /proc, meaningless for pipes
  std::uint64_t allocated_bytes = 0;  // less than the size where there are holes, or compression
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// Linux transfers at most this much in one call (read(2), NOTES).
inline constexpr std::size_t kMaxTransferBytes = 0x7ffff000;

struct ReadOptions {
  // RWF_DONTCACHE (Linux 6.14): pages that the read brings in leave the page cache again; those
  // that were in it stay. EOPNOTSUPP where the file system cannot.
  bool dont_cache = false;

  int Flags() const;  // as preadv2(2) and io_uring(7) take them
};

// What O_DIRECT asks of a read, from statx(2) STATX_DIOALIGN (Linux 6.1) or, before that, the
// page size, which every file system accepts.
struct DirectAlignment {
  std::size_t memory_bytes = 0;  // of the buffer
  std::size_t offset_bytes = 0;  // of offset and size
};

struct OpenOptions {
  bool nonblocking = false;  // opening a FIFO without a writer does not wait
  bool no_follow = false;    // a symbolic link is not followed: ELOOP
  // What is mounted somewhere on the path is not entered: EXDEV (openat2(2), Linux 5.6, which says
  // ENOSYS before and may be forbidden: EPERM).
  bool same_mount = false;
};

// Owns a descriptor, unless it is standard input. Movable. The reading functions may be called by
// several threads at once, except Read, which moves the file position.
class File {
 public:
  // Opens for reading; `directory_fd` is where a relative `path` starts (openat(2)). `name` is
  // used in messages. Throws IoError.
  static File Open(const std::string& path, std::string name, int directory_fd,
                   OpenOptions options = {});
  static File StandardInput(std::string name);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  int fd() const { return fd_; }
  const std::string& name() const { return name_; }

  FileInfo Info() const;  // fstat(2). Throws IoError.

  // Where reading begins: 0 for a file opened here; for standard input, the position it was given
  // with (0 when it has none).
  std::uint64_t StartPosition() const;

  // One pread(2) or read(2), repeated when a signal interrupts it: the bytes read, 0 at the end of
  // the file. Throws IoError; that of ReadAt names the offset.
  std::size_t ReadAt(char* buffer, std::size_t bytes, std::uint64_t offset,
                     ReadOptions options = {}) const;
  std::size_t Read(char* buffer, std::size_t bytes);

  // Whether Read would return at once.
  bool HasInput() const;

  // Where the file's data goes on at or behind `offset`, and where its next hole begins (lseek(2)
  // SEEK_DATA, SEEK_HOLE): `size` where there is none, and `offset` and `size` where the file
  // system does not tell. The file position stays. For one thread at a time.
  std::uint64_t NextData(std::uint64_t offset, std::uint64_t size) const;
  std::uint64_t NextHole(std::uint64_t offset, std::uint64_t size) const;

  // Whether its open file description is nobody else's: advice given to it ends with it.
  bool owned() const { return owned_; }

  // The same file opened once more. Throws IoError, in particular where the caller may not open it.
  File Reopen() const;
  // With O_DIRECT. Throws IoError where the file system does not support it.
  File ReopenDirect() const;
  DirectAlignment AlignmentForDirect() const;

  // posix_fadvise(2); advice is advice, so failures are ignored. 0 bytes: to the end of the file.
  void Advise(int advice, std::uint64_t offset, std::uint64_t bytes) const;

 private:
  off_t Seek(std::uint64_t offset, int whence) const;
  File OpenAgain(int flags) const;

  File(int fd, std::string name, bool owned) : fd_(fd), name_(std::move(name)), owned_(owned) {}

  int fd_;
  std::string name_;
  bool owned_;
};

}  // namespace mr::os
