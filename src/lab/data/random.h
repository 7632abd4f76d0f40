// Random numbers that are the same on every machine and with every standard library.
//
// A schedule is part of the experiment's record: seed 7 must give the same order of trials
// everywhere and for ever. The standard engines are portable, the standard distributions and
// std::shuffle are not, so both are spelled out here.
//
// The generator is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): one 64-bit counter, mixed.
// Its statistical quality is ample for shuffles and resampling, and it has no bad seeds.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace mr::lab {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  // Uniform over 0 <= value < bound; bound must not be 0. Draws that would favour the small
  // values are thrown away.
  std::uint64_t Below(std::uint64_t bound) {
    const std::uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t value = Next();
    while (value < unfair) value = Next();
    return value % bound;
  }

  // Uniform over 0 < value <= 1, in steps of 2^-53: safe to take the logarithm of.
  double Unit() { return static_cast<double>((Next() >> 11) + 1) * 0x1.0p-53; }

  // Standard normal, by Box and Muller.
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(Unit()));
    return radius * std::cos(2.0 * std::numbers::pi * Unit());
  }

  // Fisher and Yates, from the back.
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[Below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

// An independent stream for each (seed, purpose, index). The n-th number of a stream is a function
// of these and n, so that any part of a data set can be made on its own.
inline Random RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) {
  return Random(Random(Random(Random(seed).Next() ^ purpose).Next() + index).Next());
}

// The better half of a number.
inline std::uint32_t Next32(Random& random) {
  return static_cast<std::uint32_t>(random.Next() >> 32);
}

}  // namespace mr::lab
