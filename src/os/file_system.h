// What kind of file system a file lies on, as far as it matters to whoever reads it.
#pragma once

namespace mr::os {

enum class FileSystemKind {
  kLocal,    // one of the usual ones on disks and in memory: only the end of a regular file or an
             // error makes a read(2) short
  kNetwork,  // a server, or a program (FUSE), can take a mapped page away
  kOther,
};

struct KnownFileSystem {
  unsigned magic;    // statfs(2), f_type
  const char* type;  // as /proc/self/mountinfo has it
  FileSystemKind kind;
};

// Of the usual ones for data; null for others. Lives as long as the program. Thread-safe.
const KnownFileSystem* FindKnownFileSystem(unsigned magic);

// By fstatfs(2); kNetwork, the kind that promises least, where that fails. Thread-safe.
FileSystemKind KindOfFileSystem(int fd);

}  // namespace mr::os
