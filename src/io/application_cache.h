// Whole files kept in the memory of the program itself, the least recently used ones given up when
// a limit is reached.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "io/multi_page_buffer.h"

namespace mr::io {

struct CacheFigures {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;          // files that had to be loaded
  std::uint64_t hit_bytes = 0;       // of files found
  std::uint64_t miss_bytes = 0;      // of files loaded
  std::uint64_t evictions = 0;       // files given up
  std::uint64_t refusals = 0;        // files that did not fit
  std::uint64_t files = 0;           // now
  std::uint64_t overhead_bytes = 0;  // of the cache's own records, about; not those of the pool
};

// Thread-safe. A file is read once, when it is first asked for, and never looked at again: what
// changes on the disk later is not seen until the file has been given up.
class ApplicationCache {
 public:
  using File = std::shared_ptr<const MultiPageBuffer>;

  // `limit_bytes` of memory for the files' pages; 0 is no limit.
  explicit ApplicationCache(std::uint64_t limit_bytes = 0);

  // The file's contents, from memory or from the disk. Whoever holds them keeps their memory in
  // use, even after the cache has given the file up. Of several threads that ask for a file that is
  // not there, one loads it and the others wait. Null when the file does not fit: it is larger than
  // the limit, or what others hold leaves no room. Throws IoError when it cannot be read.
  File Get(const std::string& path);

  // The contents if they are there; counts as a use, but neither as hit nor as miss.
  File Peek(const std::string& path);

  // Gives everything up.
  void Clear();

  CacheFigures figures() const;
  PoolFigures pool_figures() const { return pool_->figures(); }

 private:
  struct Entry {
    std::string path;
    File file;  // null while it is being loaded
  };
  using Entries = std::list<Entry>;  // most recently used first

  File Load(const std::string& path);
  bool EvictOne();

  // Shared with the buffers handed out, which may outlive the cache.
  const std::shared_ptr<PagePool> pool_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable loaded_;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> index_;
  CacheFigures figures_;
};

}  // namespace mr::io
