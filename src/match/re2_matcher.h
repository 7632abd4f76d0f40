// RE2 as an exact engine. Every matcher has its own RE2 object: a shared one serialises threads
// on the lock of its automaton.
#pragma once

#include <memory>

#include "match/matcher.h"
#include "pattern/emit_re2.h"

namespace mr::match {

// Null when RE2 finds the pattern too large for the memory it is allowed.
std::unique_ptr<Matcher> NewRe2Matcher(const pattern::Re2Regex& regex, char terminator);

}  // namespace mr::match
