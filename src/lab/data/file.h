// Files that are not seen under their name before they are complete.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "os/descriptor.h"

namespace mr::lab {

// A new file PATH.partial that becomes PATH. A killed run leaves PATH.partial, which the next run
// takes over; a lock keeps two runs apart. Every function throws os::IoError.
class PartialFile {
 public:
  // Creates or empties PATH.partial. Throws also when another process is writing it.
  explicit PartialFile(std::string path);
  // Removes PATH.partial unless it was published.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Throws when the file system has not `bytes` to spare, and a little more for its own tables.
  void RequireRoom(std::uint64_t bytes) const;
  // Bytes that are never written read as zeros and take no room.
  void SetSize(std::uint64_t bytes);
  void Write(std::span<const char> bytes, std::uint64_t offset);
  // Lets the disk begin with what was written in this range, without waiting for it.
  void StartWriteback(std::uint64_t offset, std::uint64_t bytes) const;
  // Waits until everything up to `size_bytes` is on the disk. `progress` is told how far it is.
  void Sync(std::uint64_t size_bytes, const std::function<void(std::uint64_t)>& progress) const;
  // Gives the file its name, in place of a file that had it. Durable after SyncDirectory.
  void Publish();

 private:
  std::string path_;
  std::string partial_path_;
  os::Descriptor fd_;
  bool published_ = false;
};

// Makes renamed and removed names in the directory of `path` durable. Throws os::IoError.
void SyncDirectoryOf(const std::string& path);

}  // namespace mr::lab
