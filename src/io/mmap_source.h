// Files mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/block.h"
#include "io/io_spec.h"
#include "io/lines.h"
#include "os/file.h"

namespace mr::io {

// Maps the file at once, or in windows of spec.window_bytes, and gives out stripes of it as
// ReadSource does. Throws os::IoError when the file cannot be mapped.
std::unique_ptr<BlockSource> MakeMmapSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, const IoSpec& spec,
                                            const LineRules& rules);

}  // namespace mr::io
