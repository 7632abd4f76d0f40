// Makers of the lines of a data set, one for each kind that has lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lab/data/random.h"

namespace mr::lab {

// No line of any kind is longer, its newline included.
inline constexpr std::size_t kMaxLineBytes = 1024;
// What may be overwritten behind the bytes that a maker returns.
inline constexpr std::size_t kLineSlackBytes = 64;

// The part of a line that a needle may overwrite, without its newline.
struct Place {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

// Makes the lines of one chunk after the other. Not thread-safe: one for each thread.
class LineMaker {
 public:
  virtual ~LineMaker() = default;

  // What follows depends on the arguments only; `bytes_after` the chunk are still to come.
  virtual void Start(Random random, std::uint64_t chunk_index, std::uint64_t bytes_after) = 0;

  // Writes a line with its newline to `out` and returns its end. `place` is relative to `out`.
  virtual char* Line(char* out, Place* place) = 0;

  // Whether a line of `bytes` may be written when `room` bytes of the chunk are left.
  virtual bool Fits(std::size_t bytes, std::size_t room) const { return bytes <= room; }

  // Writes the end of the chunk, exactly `room` bytes, when no line of its own fits any more;
  // `cut` is the line that did not. The last byte becomes a newline.
  virtual void Finish(char* out, std::size_t room, const char* cut);
};

std::unique_ptr<LineMaker> MakeLogLines();
std::unique_ptr<LineMaker> MakeSourceLines();
std::unique_ptr<LineMaker> MakeProseLines(bool cyrillic);
std::unique_ptr<LineMaker> MakeWordLines();
// Elements of one JSON array, which is the line: Line() makes no newline.
std::unique_ptr<LineMaker> MakeJsonElements();

}  // namespace mr::lab
