// Which source serves which file.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "io/io_spec.h"
#include "os/file.h"

namespace mr::io {

// One for a whole search: it sees all of its files, and so knows when they become more than the
// page cache can hold. Thread-safe. Must outlive the sources that it makes.
class SourceFactory {
 public:
  SourceFactory(const IoSpec& spec, CachePolicy cache, char terminator);

  // The source of `file`'s bytes from where standard input stands, or from the beginning, as lines
  // that end in the terminator. `file` must outlive it. Throws os::IoError when the file is a
  // directory, or when the mode that the user named cannot serve it; only kAuto chooses for itself.
  std::unique_ptr<BlockSource> Open(os::File& file, const os::FileInfo& info);

  BufferPool& buffers() { return buffers_; }

  // What the search has done to the page cache, as far as it was steered.
  CacheTotals cache_totals() const;

 private:
  std::unique_ptr<BlockSource> OpenNamed(os::File& file, const os::FileInfo& info,
                                         std::uint64_t start);
  std::unique_ptr<BlockSource> OpenAuto(os::File& file, const os::FileInfo& info,
                                        std::uint64_t start);
  std::unique_ptr<BlockSource> OpenDeep(os::File& file, const os::FileInfo& info,
                                        std::uint64_t start, CacheSteering& steering);
  bool ExceedsCache(std::uint64_t more_bytes);

  const IoSpec spec_;
  const char terminator_;
  BufferPool buffers_;
  CacheSteering steering_;  // as the user wants it
  CacheSteering keeping_;   // for kAuto, once the files exceed the cache
  std::atomic<std::uint64_t> seen_bytes_{0};
  std::once_flag measured_;
  std::uint64_t capacity_bytes_ = 0;
  std::atomic<bool> ring_refused_{false};
};

}  // namespace mr::io
