// The bytes of a file once more.
#pragma once

#include <cstdint>
#include <string>

#include "os/file.h"

namespace mr::lab {

// Writes the first `most` bytes of `from`, or all when it has less, to the descriptor `to`, which
// is called `to_name` in messages. Returns how many there were. Throws os::IoError.
std::uint64_t CopyBytes(const os::File& from, std::uint64_t most, int to,
                        const std::string& to_name);

}  // namespace mr::lab
