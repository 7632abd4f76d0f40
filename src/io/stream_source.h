// read(2) in order: for pipes, devices and files that do not know their size.
#pragma once

#include <cstddef>
#include <memory>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "io/lines.h"
#include "os/file.h"

namespace mr::io {

// Each block is what has arrived, up to the end of its last line, or of the last line that lies in
// complete binary windows (LineRules::whole_windows); the rest begins the next one. While more
// input is ready at once it goes on reading until about `buffer_bytes` are full, but it never waits
// for more once it has a line to give, so that `tail -f` can be searched as lines come.
std::unique_ptr<BlockSource> MakeStreamSource(os::File& file, std::size_t buffer_bytes,
                                              const LineRules& rules, BufferPool& pool);

}  // namespace mr::io
