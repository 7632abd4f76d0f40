// Which source serves which file.
#pragma once

#include <memory>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/io_spec.h"
#include "os/file.h"

namespace mr::io {

// The source of `file`'s bytes from its current position on, as lines that end in `terminator`.
// `file` and `pool` must outlive it. Throws os::IoError when the file is a directory or when the
// mode that the user named cannot serve it; only kAuto chooses for itself.
std::unique_ptr<BlockSource> OpenSource(os::File& file, const os::FileInfo& info,
                                        const IoSpec& spec, char terminator, BufferPool& pool);

}  // namespace mr::io
