// One directory: an open descriptor and its sorted entries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/descriptor.h"

namespace mr::walk {

// A directory's descriptor, shared by the tasks whose names are relative to it.
using OpenDirectory = std::shared_ptr<const os::Descriptor>;

// openat(2); a symbolic link is an error (ELOOP or ENOTDIR) unless `follow`. Null with errno set on
// failure.
OpenDirectory OpenDirectoryAt(int parent_fd, const char* name, bool follow);

enum class EntryKind : unsigned char {
  kFile,
  kDirectory,
  kLink,    // not followed, or leading nowhere
  kDevice,  // FIFOs and sockets too
};

// The names in a directory in the byte order of the paths below it: a directory counts with the
// slash that follows its name in them, so that "a.c" comes before "a/b".
class DirectoryListing {
 public:
  struct Entry {
    std::uint64_t inode;
    std::uint64_t name_begin;
    std::uint16_t name_size;
    EntryKind kind;
  };

  // Reads all of `directory`. With `follow`, a symbolic link has the kind of what it leads to.
  // Returns 0 or the errno of a failure; what was read before it is kept.
  int Read(const os::Descriptor& directory, bool follow);

  std::size_t size() const { return entries_.size(); }
  const Entry& operator[](std::size_t i) const { return entries_[i]; }
  std::string_view Name(const Entry& entry) const {
    return {names_.data() + entry.name_begin, entry.name_size};
  }

 private:
  std::string_view SortKey(const Entry& entry) const;

  std::string names_;  // each followed by a slash
  std::vector<Entry> entries_;
};

// An open directory and what is in it.
struct ListedDirectory {
  OpenDirectory directory;
  DirectoryListing entries;
  bool local = false;  // on a local file system
  int error = 0;       // the errno of a failure, behind `entries`
};

// With `follow` as for DirectoryListing::Read.
ListedDirectory List(OpenDirectory directory, bool follow);

}  // namespace mr::walk
