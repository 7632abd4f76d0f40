// What options that take a number accept: decimal digits within bounds, and nothing else.
//
// CLI11 by itself takes "010" for 8, "" for 0, "-1" for the largest number without a sign, and
// what is too large for the largest one. Sizes are checked by the command, once it runs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace mr::app {

inline constexpr std::uint64_t kLargestNumber = std::numeric_limits<std::uint64_t>::max();
// More of anything that is repeated would not end within a lifetime, nor fit into memory.
inline constexpr std::uint64_t kMostRepeats = 1'000'000;
// Where figures may be clipped.
inline constexpr double kShortestClip = 1e-6;
inline constexpr double kLongestClip = 1e6;

// For CLI::Option::transform. The complaint is "'x' is not a whole number from 1 to 16".
CLI::Validator WholeNumber(std::uint64_t least, std::uint64_t most = kLargestNumber);

// A number that may have a fraction and an exponent, but is finite.
CLI::Validator RealNumber(double least, double most);
// Likewise, but neither of the bounds.
CLI::Validator RealNumberBetween(double above, double below);

// What `option` says, in bytes. Throws UsageError when that is no size, or zero; `what` is what it
// should be.
std::uint64_t SizeOption(const char* option, const std::string& text, const char* what = "size");

// Throws UsageError when `repeats` (which `option` has set) of `each` trials are too many.
void CheckNumberOfTrials(const char* option, int repeats, std::size_t each);

}  // namespace mr::app
