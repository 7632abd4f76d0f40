// Counting lines.
#pragma once

#include <cstdint>
#include <string_view>

namespace mr::search {

// The number of bytes equal to `terminator`.
std::uint64_t CountTerminators(std::string_view bytes, char terminator);

}  // namespace mr::search
