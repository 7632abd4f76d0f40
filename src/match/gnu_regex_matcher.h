// The C library's GNU regex as an exact engine: what GNU grep itself falls back to.
#pragma once

#include <memory>
#include <string>

#include "match/matcher.h"
#include "pattern/pattern.h"

namespace mr::match {

// A matcher for all of `source`'s patterns (basic, extended or fixed). Throws
// pattern::PatternError with the C library's message when one of them is malformed.
// `left_to_c_library`: GNU grep's automaton leaves it to the C library which lines match.
std::unique_ptr<Matcher> NewGnuRegexMatcher(const pattern::Source& source, bool left_to_c_library);

}  // namespace mr::match
