// The data of a comparison: what it consists of, and copies of it that are known to be equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mr::lab {

// The regular files of a data set, a file or a directory with all below it, in sorted order.
// Symbolic links are copied as such and not followed; sockets, pipes and devices are refused.
struct DataInventory {
  struct File {
    std::string name;  // relative to the data set; empty when that is itself a file
    std::uint64_t bytes = 0;
    std::string checksum;  // XXH128, as xxh128sum prints it

    bool operator==(const File&) const = default;
  };
  std::vector<File> files;

  std::uint64_t total_bytes() const;
  // That of the one file; of a directory, the XXH128 of "CHECKSUM  NAME\n" lines, which is what
  // xxh128sum prints for its files.
  std::string checksum() const;

  bool operator==(const DataInventory&) const = default;
};

// Reads everything. Throws os::IoError, also for data without a byte.
DataInventory TakeInventory(const std::string& path);

enum class CopyOutcome { kIsSource, kWasThere, kCopied };

// Sees to it that `target` holds the same as `source`, whose inventory this is: copies it unless it
// is there, and in any case reads it back, from the file system and not from this machine's cache
// where that can be emptied, and compares checksums. The copy is written under another name and
// synced first. Throws os::IoError when something else is there (which is left alone), when there
// is no room, and when the copy differs.
CopyOutcome PlaceCopy(const std::string& source, const DataInventory& inventory,
                      const std::string& target);

// The paths of the inventory's files at `data`.
std::vector<std::string> FilePaths(const DataInventory& inventory, const std::string& data);

}  // namespace mr::lab
