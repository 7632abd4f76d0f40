// The bytes of one chunk of a data set, without needles.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lab/data/lines.h"
#include "lab/data/set.h"

namespace mr::lab {

inline constexpr std::uint64_t kChunkBytes = 256 * 1024;

// Makes the chunks of one file in any order; each depends on the spec's kind, seed and size and
// on its index only. Not thread-safe: one for each thread. Holds one chunk and about 1 MB of
// tables.
class ChunkMaker {
 public:
  explicit ChunkMaker(const DataSpec& spec);

  std::uint64_t chunks() const { return chunks_; }
  std::uint64_t ChunkOffset(std::uint64_t index) const { return index * kChunkBytes; }
  std::uint64_t ChunkBytes(std::uint64_t index) const;
  // A hole in a sparse file: zeros that need not be written.
  bool IsHole(std::uint64_t index) const;
  std::uint64_t bytes_outside_holes() const;

  // Chunk `index`, which may be changed by the caller; valid until the next call. In `places`, if
  // given, are the places for needles of at least `min_length` bytes, each on a line of its own.
  std::span<char> Make(std::uint64_t index, std::size_t min_length, std::vector<Place>* places);

 private:
  void MakeLines(std::uint64_t index, std::span<char> chunk, std::size_t min_length,
                 std::vector<Place>* places);
  void MakeRandom(std::uint64_t index, std::span<char> chunk, std::size_t min_length,
                  std::vector<Place>* places) const;

  DataKind kind_;
  std::uint64_t seed_;
  std::uint64_t size_bytes_;
  std::uint64_t chunks_;
  std::unique_ptr<LineMaker> lines_;  // null for random bytes
  std::vector<char> buffer_;
};

}  // namespace mr::lab
