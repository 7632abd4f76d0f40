// pread(2) into a reused buffer per worker: for files that have a size and can be positioned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/cache_steering.h"
#include "io/lines.h"
#include "os/file.h"

namespace mr::io {

// The file is cut into stripes of `stripe_bytes`; a block holds the lines that begin in its stripe,
// so any number of threads can read different stripes at once without talking to each other. The
// price is that the end of a line that crosses into the next stripe is read twice. `steering` may
// be null; it is meant for files of one stripe, since it does not hinder read-ahead.
std::unique_ptr<BlockSource> MakeReadSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, std::size_t stripe_bytes,
                                            const LineRules& rules, BufferPool& pool,
                                            CacheSteering* steering = nullptr);

}  // namespace mr::io
