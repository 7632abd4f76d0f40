// Sizes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mr::io {

// "4096", "64K", "1M", "2G", "1T", with binary multiples; an optional "iB" or "B" may follow
// ("64KiB"). Nothing for an empty text, a sign, a fraction, trailing characters or overflow.
std::optional<std::uint64_t> ParseSize(std::string_view text);

// The shortest exact text that ParseSize gives back: 65536 is "64K", 1000 is "1000".
std::string FormatSize(std::uint64_t bytes);

// For people: one decimal of the largest unit that leaves at least 1, such as "1.9G"; "512" below a
// kibibyte.
std::string RoughSize(double bytes);

}  // namespace mr::io
