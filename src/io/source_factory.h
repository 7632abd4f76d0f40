// Which source serves which file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "io/io_spec.h"
#include "io/lines.h"
#include "os/file.h"

namespace mr::io {

// What a search tells about itself.
struct SourceRequest {
  IoSpec spec;
  std::optional<CachePolicy> cache;  // none: kAuto chooses, the other modes do as the kernel does
  LineRules rules;
  // The bytes of all files of the search; may stop counting at `enough`. Asked once at most, by any
  // thread, and only when the answer matters. May be empty: then what has been opened is counted.
  std::function<std::uint64_t(std::uint64_t enough)> count_bytes;
  // What the page cache can hold; measured when it is not given.
  std::optional<std::uint64_t> cache_capacity;
};

// One for a whole search: it sees all of its files, and so knows when they are more than the page
// cache can hold. Thread-safe. Must outlive the sources that it makes.
class SourceFactory {
 public:
  explicit SourceFactory(SourceRequest request);

  // The source of `file`'s bytes from where standard input stands, or from the beginning, as lines
  // by the rules. `file` must outlive it. Throws os::IoError when the file is a directory, or when
  // the mode that the user named cannot serve it; only kAuto chooses for itself. With `why`, the
  // decision of kAuto in words.
  std::unique_ptr<BlockSource> Open(os::File& file, const os::FileInfo& info,
                                    std::string* why = nullptr);

  // The same for a regular file of a local file system that nobody has asked for its size: if it is
  // small, a read tells. Then `info` gets kind and size. Null when it is not, when it turns out to be
  // none of that, or when it has to be read in another way: then Open says more.
  std::unique_ptr<BlockSource> OpenSmall(const os::File& file, os::FileInfo& info);

  BufferPool& buffers() { return buffers_; }

  // What the search has done to the page cache, as far as it was steered.
  CacheTotals cache_totals() const;

 private:
  struct Opening;  // a file on its way to its source

  std::unique_ptr<BlockSource> OpenNamed(const Opening& opening);
  std::unique_ptr<BlockSource> OpenRead(const Opening& opening, CacheSteering& steering);
  std::unique_ptr<BlockSource> OpenAuto(const Opening& opening);
  std::unique_ptr<BlockSource> MapOneLine(const Opening& opening) const;
  std::unique_ptr<BlockSource> OpenAhead(const Opening& opening, CacheSteering& steering);
  bool ExceedsCache(std::uint64_t more_bytes);

  const SourceRequest request_;
  BufferPool buffers_;
  CacheSteering steering_;  // as the user wants it
  CacheSteering keeping_;   // for kAuto, once the files exceed the cache
  std::atomic<std::uint64_t> seen_bytes_{0};
  std::once_flag measured_;
  std::once_flag counted_;
  std::uint64_t capacity_bytes_ = 0;
  std::atomic<bool> exceeds_{false};
  std::atomic<bool> ring_refused_{false};
};

}  // namespace mr::io
