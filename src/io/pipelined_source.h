// Large reads in file order, several under way at once: what keeps a disk busy without read-ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "io/lines.h"
#include "os/file.h"

namespace mr::io {

struct PipelineOptions {
  // Of one read; rounded up to the alignment of direct reads, and to pages where the cache is
  // steered.
  std::size_t chunk_bytes = 0;
  unsigned depth = 0;     // reads under way at once
  bool direct = false;    // O_DIRECT
  bool ring = false;      // io_uring(7) instead of threads with pread(2)
  std::string_view mode;  // for BlockSource::mode; must outlive the source
};

// What was read into one chunk behind its last terminator is put in front of the next one; a block
// holds the lines that end in its chunk. Reads on when the file has grown. Throws os::IoError when
// the file system has no direct IO, or the kernel no io_uring.
std::unique_ptr<BlockSource> MakePipelinedSource(os::File& file, const os::FileInfo& info,
                                                 std::uint64_t start_offset,
                                                 const PipelineOptions& options,
                                                 const LineRules& rules, BufferPool& pool,
                                                 CacheSteering& steering);

}  // namespace mr::io
