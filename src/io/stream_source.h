// read(2) in order: for pipes, devices and files that do not know their size.
#pragma once

#include <cstddef>
#include <memory>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "os/file.h"

namespace mr::io {

// Each block is what has arrived, up to its last terminator; the rest of the line begins the next
// one. While more input is ready at once it goes on reading until `buffer_bytes` are full, but it
// never waits for more once it has a whole line, so that `tail -f | mrgrep` shows lines as they
// come.
std::unique_ptr<BlockSource> MakeStreamSource(os::File& file, std::size_t buffer_bytes,
                                              char terminator, BufferPool& pool);

}  // namespace mr::io
