// What a line is to the sources, which cut files where lines end.
#pragma once

#include <algorithm>
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

// Where the binary window around an offset begins.
constexpr std::uint64_t BinaryWindowOf(std::uint64_t offset) {
  return offset / kBinaryWindowBytes * kBinaryWindowBytes;
}

struct LineRules {
  char terminator = '\n';
  // Binary detection is on: in a file that holds a NUL every NUL ends a line just as the terminator
  // does, as GNU grep has it. A file of nothing but NULs is not one long line then.
  bool nul_ends = false;
  // Empty lines select nothing and need not be counted: holes of sparse files, which hold nothing
  // else, may be passed over (Block::zeros_before).
  bool skip_holes = false;
  // Lines of a stream are held back until the binary window in which they end is complete, so that
  // what is printed does not depend on how the writer's bytes arrived.
  bool whole_windows = false;
  // Lines that are longer than kHeldBuffers of the source's buffers are given out in pieces
  // (Block::fragment). Mappings, which take no memory of their own, give out all lines as they are.
  bool pieces = false;
};

constexpr std::size_t kHeldBuffers = 16;

// The offset behind the end of the line that holds byte `from`, or nothing when it does not end
// before `size`.
inline std::optional<std::size_t> EndOfLine(const char* bytes, std::size_t from, std::size_t size,
                                            const LineRules& rules) {
  // In pieces where a second byte is looked for too: the nearer one may be far before the other.
  const std::size_t piece = rules.nul_ends ? 4096 : size;
  for (std::size_t at = from; at < size;) {
    const std::size_t upto = at + std::min(piece, size - at);
    std::size_t end = upto;
    const void* found = std::memchr(bytes + at, rules.terminator, upto - at);
    if (found != nullptr) end = static_cast<std::size_t>(static_cast<const char*>(found) - bytes);
    if (rules.nul_ends) {
      const void* nul = std::memchr(bytes + at, '\0', end - at);
      if (nul != nullptr) found = nul;
    }
    if (found != nullptr) {
      return static_cast<std::size_t>(static_cast<const char*>(found) - bytes) + 1;
    }
    at = upto;
  }
  return std::nullopt;
}

inline bool EndsLine(char byte, const LineRules& rules) {
  return byte == rules.terminator || (rules.nul_ends && byte == '\0');
}

// Where the first line that begins in a stripe begins. `stripe` has `size` bytes; `previous` is the
// byte before it, absent for the first stripe. Nothing when no line begins here.
inline std::optional<std::size_t> FirstLineIn(const char* stripe, std::size_t size,
                                              std::optional<char> previous,
                                              const LineRules& rules) {
  if (size == 0) return std::nullopt;
  if (!previous || EndsLine(*previous, rules)) return 0;
  const std::optional<std::size_t> begin = EndOfLine(stripe, 0, size, rules);
  if (begin == size) return std::nullopt;
  return begin;
}

// The number of bytes up to and including the last end of a line.
inline std::size_t WholeLines(const char* bytes, std::size_t size, const LineRules& rules) {
  const auto behind_last = [&](char byte, std::size_t from) {
    const void* found = ::memrchr(bytes + from, byte, size - from);
    return found == nullptr ? from
                            : static_cast<std::size_t>(static_cast<const char*>(found) - bytes) + 1;
  };
  const std::size_t whole = behind_last(rules.terminator, 0);
  return rules.nul_ends ? behind_last('\0', whole) : whole;
}

inline os::IoError ShrankError(const std::string& name, std::uint64_t size_bytes) {
  return {name, "file shrank while being searched, at offset " + std::to_string(size_bytes)};
}

inline os::IoError LineTooLongError(const std::string& name) {
  return {name, "memory exhausted by a long line"};
}

}  // namespace mr::io
