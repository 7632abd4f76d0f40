// Cutting a file into stripes so that every line belongs to exactly one: the one in which its first
// byte lies. Shared by the sources that give out parts of a file in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "os/error.h"

namespace mr::io {

// The window of file offset in which one NUL makes all lines binary: GNU grep's buffer size
// (INITIAL_BUFSIZE in its src/grep.c). Stripes that are read are multiples of it, so that most
// lines can be judged by their own stripe.
constexpr std::size_t kBinaryWindowBytes = std::size_t{96} << 10;

// Where the first line that begins in a stripe begins. `stripe` has `size` bytes; `previous` is the
// byte before it, absent for the first stripe. Nothing when no line begins here.
inline std::optional<std::size_t> FirstLineIn(const char* stripe, std::size_t size,
                                              std::optional<char> previous, char terminator) {
  if (size == 0) return std::nullopt;
  if (!previous || *previous == terminator) return 0;
  const void* found = std::memchr(stripe, terminator, size);
  if (found == nullptr) return std::nullopt;
  const std::size_t begin = static_cast<std::size_t>(static_cast<const char*>(found) - stripe) + 1;
  if (begin == size) return std::nullopt;
  return begin;
}

// The number of bytes up to and including the last terminator.
inline std::size_t WholeLines(const char* bytes, std::size_t size, char terminator) {
  const void* found = ::memrchr(bytes, terminator, size);
  return found == nullptr ? 0
                          : static_cast<std::size_t>(static_cast<const char*>(found) - bytes) + 1;
}

inline os::IoError ShrankError(const std::string& name, std::uint64_t size_bytes) {
  return {name, "file shrank while being searched, at offset " + std::to_string(size_bytes)};
}

inline os::IoError LineTooLongError(const std::string& name) {
  return {name, "memory exhausted by a long line"};
}

}  // namespace mr::io
