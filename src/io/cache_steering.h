// Reading without disturbing what is in the page cache.
//
// A cyclic scan of data larger than memory gets no hits from a cache that evicts the least recently
// used page: each page is gone before its turn comes again. A scan that does not displace what is
// resident reads only the rest from the disk: S - C bytes, for C bytes cached of S. (Prior work on
// using what is cached first: SLEDs, OSDI 2000; FCCD, SOSP 2001; Duet, SOSP 2015.)
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "io/cache_totals.h"
#include "io/io_spec.h"
#include "os/file.h"

namespace mr::io {

// Decides for each read how it treats the cache. Shared by all files of a search; thread-safe.
class CacheSteering {
 public:
  // With `emulate` RWF_DONTCACHE is not even tried, as on kernels that lack it.
  explicit CacheSteering(CachePolicy policy, bool emulate = false);

  // What one read has to do: how it is made, and what must leave the cache when it is done.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  struct Passage {
    os::ReadOptions options;
    std::vector<Extent> drop;
  };

  // Before the read of [offset, offset + bytes).
  Passage Enter(const os::File& file, std::uint64_t offset, std::uint64_t bytes);
  // When the read of a Passage failed with EOPNOTSUPP: what to do instead.
  Passage Refused(const os::File& file, std::uint64_t offset, std::uint64_t bytes);
  // After the read.
  void Leave(const os::File& file, const Passage& passage);

  CacheTotals totals() const;
  CachePolicy policy() const { return policy_; }

 private:
  bool TakeRoom(std::uint64_t bytes);
  Passage PassBy(const os::File& file, std::uint64_t offset, std::uint64_t bytes);

  const CachePolicy policy_;
  std::atomic<bool> dont_cache_works_;
  std::once_flag measured_;
  std::atomic<std::uint64_t> room_bytes_{0};
  std::atomic<std::uint64_t> resident_{0};
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> passed_{0};
  std::atomic<std::uint64_t> unknown_{0};
};

}  // namespace mr::io
