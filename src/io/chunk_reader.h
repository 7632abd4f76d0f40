// Several reads of one file under way at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "os/file.h"

namespace mr::io {

struct ChunkRead {
  char* buffer = nullptr;  // must live until Wait has returned for its slot
  std::size_t bytes = 0;
  std::uint64_t offset = 0;  // in the file
  os::ReadOptions options;
};

struct ChunkResult {
  std::size_t bytes = 0;
  int error_number = 0;
};

// `depth` slots, each of which can carry one read. Not thread-safe. The destructor waits for what
// is under way.
class ChunkReader {
 public:
  virtual ~ChunkReader() = default;
  virtual void Start(unsigned slot, const ChunkRead& read) = 0;
  virtual ChunkResult Wait(unsigned slot) = 0;
  // How many reads that were started are not complete, at this moment.
  virtual unsigned UnderWay() = 0;
};

// Through io_uring(7). Throws os::IoError where the kernel does not allow it.
std::unique_ptr<ChunkReader> MakeRingReader(const os::File& file, unsigned depth);

// pread(2) on `depth` threads of its own.
std::unique_ptr<ChunkReader> MakeThreadReader(const os::File& file, unsigned depth);

}  // namespace mr::io
