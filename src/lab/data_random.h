// Random numbers for data sets: a stream for every chunk.
//
// The n-th number of SplitMix64 (lab/random.h) is a function of its seed and n, so any chunk of a
// file can start on its own, and the processor computes numbers that do not depend on each other
// side by side.
#pragma once

#include <cstdint>

#include "lab/random.h"

namespace mr::lab {

// An independent stream for each (seed, purpose, index).
inline Random RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) {
  return Random(Random(Random(Random(seed).Next() ^ purpose).Next() + index).Next());
}

// The better half of a number.
inline std::uint32_t Next32(Random& random) {
  return static_cast<std::uint32_t>(random.Next() >> 32);
}

}  // namespace mr::lab
