// The chunks of a file in order, several of them being read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "io/chunk_reader.h"
#include "io/pipelined_source.h"
#include "io/stripes.h"
#include "os/file.h"

namespace mr::io {

// Chunks end at multiples of the chunk size, and holes of any size are passed over where
// `skip_holes`. The arguments must outlive the queue. Not thread-safe.
class ChunkQueue {
 public:
  // In front of each chunk's bytes there is room for so many more.
  static constexpr std::size_t kHeadroomBytes = std::size_t{64} << 10;

  // Throws os::IoError when the file system has no direct IO, or the kernel no io_uring.
  ChunkQueue(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
             const PipelineOptions& options, bool skip_holes, BufferPool& pool,
             CacheSteering& steering);
  ~ChunkQueue();

  struct Taken {
    Buffer buffer;
    char* begin = nullptr;
    std::size_t bytes = 0;
    std::uint64_t end_offset = 0;    // in the file
    std::uint64_t zeros_before = 0;  // a hole that was passed over
    bool last = false;               // the file ends here, or cannot be read on
    bool failed = false;             // what follows `bytes` could not be read
    std::optional<Damage> damage;    // without its valid_bytes
  };

  // The next chunk, or nothing behind the last one. Throws os::IoError and std::bad_alloc.
  std::optional<Taken> Take();

  // See io/read_aside.h; in the way in which the chunks are read.
  bool HasNulAt(std::uint64_t offset, std::size_t bytes) const;
  std::size_t ReadAgainAt(std::uint64_t offset, char* to, std::size_t bytes) const;

  CachePolicy policy() const { return direct_ ? CachePolicy::kNormal : steering_.policy(); }
  ReadDepth depth() const { return depth_; }
  std::size_t chunk_bytes() const { return chunk_bytes_; }

 private:
  // A read under way, or done and not yet given out. In the buffer: headroom, bytes that are read
  // for the sake of alignment, and those from `begin` on.
  struct Chunk {
    std::optional<Buffer> buffer;
    std::uint64_t begin = 0;  // file offset
    std::size_t wanted = 0;   // bytes from there; 0 behind a hole at the end of the file
    std::size_t lead = 0;
    std::uint64_t zeros_before = 0;  // a hole that was passed over
    CacheSteering::Passage passage;

    char* bytes() { return buffer->data() + kHeadroomBytes + lead; }
    std::uint64_t end() const { return begin + wanted; }
  };

  void StartAhead();
  void PlanChunk(Chunk& chunk);
  Taken Finish(Chunk& chunk);
  void ReadRest(Chunk& chunk, std::size_t& have, bool failed);
  bool EndsAt(std::uint64_t offset);
  const os::File& file() const { return reopened_ ? *reopened_ : file_; }

  os::File& file_;
  // Direct, or a description of our own: advice to that of standard input would outlive us.
  std::optional<os::File> reopened_;
  BufferPool& pool_;
  CacheSteering& steering_;
  const bool direct_;
  std::size_t unit_ = 1;  // what reads begin and end at multiples of, in the file
  std::size_t chunk_bytes_ = 0;
  bool advised_ = false;  // random, on file_
  std::uint64_t size_;    // as far as known
  Holes holes_;
  std::uint64_t next_;    // where the next chunk begins
  bool in_hole_ = false;  // the chunk before that is the beginning of a hole
  std::vector<Chunk> chunks_;
  std::uint64_t started_ = 0;    // chunks
  std::uint64_t given_out_ = 0;  // chunks
  ReadDepth depth_;
  bool exceeds_size_ = false;  // size_ is a guess
  std::optional<os::IoError> start_failure_;
  std::unique_ptr<ChunkReader> reader_;  // writes into the chunks
};

}  // namespace mr::io
