// Where lines begin and end in a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mr::search {

// The end of the line that begins at `from`, terminator included.
inline std::size_t LineEnd(std::string_view bytes, std::size_t from, char terminator) {
  const std::size_t found = bytes.find(terminator, from);
  return found == std::string_view::npos ? bytes.size() : found + 1;
}

// The same where NULs end lines as well: that is how those of binary files are searched.
inline std::size_t BinaryLineEnd(std::string_view bytes, std::size_t from, char terminator) {
  const std::size_t end = LineEnd(bytes, from, terminator);
  const std::size_t nul = bytes.substr(from, end - from).find('\0');
  return nul == std::string_view::npos ? end : from + nul + 1;
}

inline std::string_view WithoutTerminator(std::string_view line, char terminator) {
  if (!line.empty() && line.back() == terminator) line.remove_suffix(1);
  return line;
}

// Where the last `count` lines of `bytes` begin, not before `floor`; `found` becomes their number.
inline std::size_t LastLines(std::string_view bytes, std::size_t floor, std::uint64_t count,
                             char terminator, std::uint64_t& found) {
  std::size_t begin = bytes.size();
  for (found = 0; found < count && begin > floor; ++found) {
    const void* previous = ::memrchr(bytes.data() + floor, terminator, begin - 1 - floor);
    begin = previous == nullptr
                ? floor
                : static_cast<std::size_t>(static_cast<const char*>(previous) - bytes.data()) + 1;
  }
  return begin;
}

}  // namespace mr::search
