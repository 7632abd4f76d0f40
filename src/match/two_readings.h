// For patterns that GNU grep's own automaton, which selects lines, and the C library, which it asks
// where in a line the matches are, do not read alike.
#pragma once

#include <functional>
#include <memory>

#include "match/matcher.h"

namespace mr::match {

// `lines` selects; `make_spans`, called when first needed, makes the one that Find asks. Find may
// find nothing in a line that Matches, and under -x less than the whole of it.
std::unique_ptr<Matcher> NewTwoReadings(std::unique_ptr<Matcher> lines,
                                        std::function<std::unique_ptr<Matcher>()> make_spans);

}  // namespace mr::match
