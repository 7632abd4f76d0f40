// GNU grep's automaton before the C library.
#pragma once

#include <memory>

#include "match/line_automaton.h"
#include "match/matcher.h"

namespace mr::match {

// Selects the lines that `automaton`, which must outlive the matcher, matches: all of them when it
// `decides`, else those in which `c_library` finds a match, too. Find asks the C library alone, as
// GNU grep does about lines that it has selected.
std::unique_ptr<Matcher> NewAutomatonMatcher(const LineAutomaton& automaton, bool decides,
                                             std::unique_ptr<Matcher> c_library, char terminator);

}  // namespace mr::match
