// A small reproducible generator: the same seed gives the same case on every machine, which the
// distributions of the standard library do not promise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace differential {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  Random(std::uint64_t seed, std::uint64_t stream) : Random(seed) {
    state_ = Next() ^ (stream * 0x9e3779b97f4a7c15U);
  }

  std::uint64_t Next() {
    std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15U);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  // Uniform enough over 0 .. limit-1; limit > 0.
  std::size_t Below(std::size_t limit) { return Next() % limit; }

  bool Chance(unsigned percent) { return Below(100) < percent; }

  template <typename Container>
  const auto& Pick(const Container& choices) {
    return std::data(choices)[Below(std::size(choices))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace differential
