// Ranges of code points as sequences of byte ranges (R. Cox, "Regular Expression Matching in the
// Wild", 2010, on UTF-8; the division is Thompson's).
#pragma once

#include <vector>

#include "pattern/alphabet.h"
#include "pattern/char_set.h"

namespace mr::pattern {

struct ByteRange {
  unsigned char first = 0;
  unsigned char last = 0;  // inclusive
};

// The encoding of one character is one byte out of each range, in order.
using Utf8Range = std::vector<ByteRange>;

// The characters of `range` are exactly those of the results together, each in one of them.
// REQUIRES alphabet.utf8().
std::vector<Utf8Range> Utf8Ranges(CharRange range, const Alphabet& alphabet);

}  // namespace mr::pattern
