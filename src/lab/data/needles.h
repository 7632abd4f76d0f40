// Where the needles of a data set stand, and how they are found again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data/lines.h"

namespace mr::lab {

// How many needles each chunk holds. Needle k of n stands where the fraction (2k + 1) / 2n of the
// file is: of its bytes, or, when there are too many needles for that, of the lines that can hold
// one, so that there may be as many needles as lines.
class NeedlePlan {
 public:
  static NeedlePlan ByBytes(std::uint64_t needles, std::uint64_t size_bytes);
  // `places` per chunk. REQUIRES: needles <= their sum.
  static NeedlePlan ByLines(std::uint64_t needles, const std::vector<std::uint32_t>& places);

  std::uint64_t CountIn(std::uint64_t chunk) const { return Before(chunk + 1) - Before(chunk); }

 private:
  NeedlePlan(std::uint64_t needles, std::uint64_t total) : needles_(needles), total_(total) {}
  std::uint64_t Before(std::uint64_t chunk) const;

  std::uint64_t needles_;
  std::uint64_t total_;                       // bytes or places in the file
  std::vector<std::uint64_t> places_before_;  // per chunk and at the end; empty: by bytes
};

// Overwrites parts of `count` of the places (the middle ones of as many equal parts), at a
// position that `random` gives, and returns the offsets in the chunk. Where there is room a blank
// stands on either side; characters of UTF-8 are replaced whole. REQUIRES: count <= places.size(),
// places at least as long as the needle.
std::vector<std::uint32_t> PlantNeedles(std::span<char> chunk, std::span<const Place> places,
                                        std::string_view needle, std::uint64_t count,
                                        Random random);

// Counts lines that hold the needle, and newlines, in a file that comes in pieces of any size.
class NeedleCounter {
 public:
  explicit NeedleCounter(std::string needle) : needle_(std::move(needle)) {}

  void Feed(std::string_view bytes);

  std::uint64_t lines_with_needle() const { return lines_with_needle_; }
  std::uint64_t newlines() const { return newlines_; }

 private:
  std::string needle_;
  std::string tail_;           // the last bytes before the next piece, one less than the needle has
  bool line_counted_ = false;  // the line that is open at the end of the piece
  std::uint64_t lines_with_needle_ = 0;
  std::uint64_t newlines_ = 0;
};

}  // namespace mr::lab
