// Reads beside those that bring a file's blocks.
//
// Whole units are read, which a direct read needs, in the way of the source that asks: with
// `steering` the page cache is treated as its policy wants, and null leaves it to the kernel. What
// is not there (behind the end of the file) is left out. Thread-safe. All throw std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "os/file.h"

namespace mr::io {

// Whether one of the `bytes` bytes at `offset` of `file` is a NUL. False where they cannot be read:
// the block that owns them reports it.
bool HasNul(const os::File& file, std::uint64_t offset, std::size_t bytes, std::size_t unit_bytes,
            BufferPool& pool, CacheSteering* steering);

// Copies the `bytes` bytes at `offset` of `file` to `to`. Returns how many there are. Throws
// os::IoError.
std::size_t ReadAgain(const os::File& file, char* to, std::size_t bytes, std::uint64_t offset,
                      std::size_t unit_bytes, BufferPool& pool, CacheSteering* steering);

}  // namespace mr::io
