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

// Large enough to keep the huge mappings that the kernel makes of large folios, and to interrupt
// the other processors seldom, as giving up mapped pages does; small enough for all threads to
// finish at the same time.
constexpr std::uint64_t MappedStripeBytes(std::uint64_t file_bytes) {
  return file_bytes < std::uint64_t{256} << 20 ? std::uint64_t{4} << 20 : std::uint64_t{8} << 20;
}

// Maps the file at once, or in windows of spec.window_bytes, and gives out stripes of it, of
// `stripe_bytes` or one to a smaller window, as ReadSource does. Throws os::IoError when the file
// cannot be mapped.
std::unique_ptr<BlockSource> MakeMmapSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, const IoSpec& spec,
                                            const LineRules& rules, std::uint64_t stripe_bytes);

}  // namespace mr::io
