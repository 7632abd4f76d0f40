// Looking for a NUL behind a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "os/file.h"

namespace mr::io {

// Whether one of the `bytes` bytes at `offset` of `file`, as far as they are there, is a NUL.
//
// Whole units are read, which a direct read needs, in the way of the source that asks: with
// `steering` the page cache is treated as its policy wants, and null leaves it to the kernel. False
// where the bytes cannot be read: the block that owns them reports it. Throws std::bad_alloc.
bool HasNul(const os::File& file, std::uint64_t offset, std::size_t bytes, std::size_t unit_bytes,
            BufferPool& pool, CacheSteering* steering);

}  // namespace mr::io
