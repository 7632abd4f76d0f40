// Bracket expressions: [a-z], []x], [^[:alpha:]_], [[.-.]], [[=a=]].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pattern/alphabet.h"
#include "pattern/char_set.h"

namespace mr::pattern {

struct Bracket {
  CharSet set;          // negation and ignored case resolved, within the characters of a line
  std::size_t end = 0;  // the offset behind the closing bracket
  // It holds a byte that is no character: only the C library knows what that means.
  bool needs_c_library = false;
  std::string invalid_bytes;       // all of these
  bool invalid_range_end = false;  // one of them is an end of a range
  // GNU grep's automaton leaves it to the C library: a collating element or, beyond the C locale,
  // negation, ranges other than of digits, and classes of characters that may have several bytes.
  bool left_to_c_library = false;
  bool confusing = false;  // [:space:] where [[:space:]] must have been meant
};

// Parses the bracket expression whose '[' is at text[at]. Throws PatternError.
Bracket ParseBracket(std::string_view text, std::size_t at, const Alphabet& alphabet);

}  // namespace mr::pattern
