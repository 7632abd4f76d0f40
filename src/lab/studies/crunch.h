// The raw output of the file-size sweep of 2000, and its subtraction.
//
// Raw: four blocks of lines "SIZE USER SYSTEM" (bytes, seconds, seconds), in the order read with
// the file cache ("nopurge"), mmap with it, read without it ("purge"), mmap without it; two empty
// lines between blocks. Crunched: two blocks (read, mmap) of lines "KIB USER SYSTEM" with what
// purging added, never below zero; two empty lines between them. Both are the formats of
// mmapcrunch.pl (Zack Weinberg, "mmap versus read benchmark", 2000), whose errors these are, too.
// Pure.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/studies/study.h"

namespace mr::lab {

// "mangled input", "vectors not all equal", "mismatched sizes, index 3", "wrong number of fields,
// index 3"; and, where the script would go on: "not a number, index 3", "sizes out of order, index
// 3".
class CrunchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SweepPoint {
  double size_bytes = 0;
  double user_s = 0;
  double system_s = 0;
};

enum RawBlock { kReadNopurge, kMmapNopurge, kReadPurge, kMmapPurge };
using Raw = std::array<std::vector<SweepPoint>, 4>;

std::string FormatRaw(const Raw& raw);

struct Crunched {
  std::vector<SweepPoint> read;
  std::vector<SweepPoint> mmap;
};

// The input as a whole, checked in the script's order. Throws CrunchError.
Crunched Crunch(std::string_view raw);
std::string FormatCrunched(const Crunched& crunched);

// Where mmap becomes the cheaper of two, the costs being known at ascending sizes: on a straight
// line between the logarithms of the last size at which `read` is at most `mmap` and the next one.
// Nothing when that never happens: see `always`.
struct Crossover {
  std::optional<double> size_bytes;
  std::string always;  // "read" or "mmap", the cheaper one at the largest size, when there is none
  // The two measured sizes between which it lies.
  double below_bytes = 0;
  double above_bytes = 0;
};
Crossover FindCrossover(const std::vector<double>& sizes, const std::vector<double>& read,
                        const std::vector<double>& mmap);

// User and system time of both over size, on a logarithmic axis; clipped at `clip_s` seconds if
// given. As the original's two figures.
StudyFigure CrunchFigure(const Crunched& crunched, std::optional<double> clip_s);

}  // namespace mr::lab
