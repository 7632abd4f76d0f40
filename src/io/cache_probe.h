// How a file lies in the page cache, by samples: asking about every page of a large file would take
// a tenth of the time of its search.
#pragma once

#include <cstdint>
#include <string>

#include "os/file.h"

namespace mr::io {

struct CacheShare {
  std::string text;         // for people
  bool nearly_all = false;  // resident; also where the kernel does not tell
};

// Throws os::IoError when the file cannot be stat'ed.
CacheShare ProbeShareInCache(const os::File& file, std::uint64_t size_bytes);

// Whether the kernel maps the file, which should be resident, in pieces that make mapping worth it.
// How it came into the cache decides that: in large folios, a fault maps 2 MiB and a mapping is the
// fastest way to the bytes; in small ones it maps 64 KiB (fault-around), and copying costs less.
// Throws os::IoError where the file cannot be mapped.
bool ProbeMapsInLargePieces(const os::File& file, std::uint64_t size_bytes);

}  // namespace mr::io
