// Where GNU grep searches for patterns as for fixed strings, which shows in small ways.
#pragma once

#include "pattern/alphabet.h"
#include "pattern/pattern.h"

namespace mr::pattern {

// Two or more basic or extended patterns without operators become fixed strings (kFixed) without
// their backslashes. One at the very end is then no mistake but stands for itself. Everything else
// stays as it is.
Source AsFixedWherePlain(Source source);

// Whether GNU grep's matcher of fixed strings does the work, which in UTF-8 takes an empty match
// for a word between any two characters that are none. `source` has been through the above.
bool SearchedAsFixed(const Source& source, const Alphabet& alphabet);

}  // namespace mr::pattern
