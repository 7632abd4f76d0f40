// What -i makes of a letter.
#pragma once

#include <optional>
#include <set>

#include "pattern/char_set.h"

namespace mr::pattern {

// The lower-case letter that `set` spells under -i, if that is what it is: an ASCII letter in both
// cases, and perhaps characters beyond ASCII that fold to it (U+017F for s), which are added to
// `others`.
std::optional<char> FoldedLetter(const CharSet& set, std::set<char32_t>& others);

}  // namespace mr::pattern
