// Whether the words that -o -w shows are right, where the reference cannot be trusted with them.
#pragma once

#include "differential/case.h"
#include "differential/judge.h"

namespace differential {

// Not if both find the same: then the mistake has not struck. Otherwise the first word of every
// line is the reference's too; every later one is bounded as a word is and the reference takes it
// for a match when it is a whole line (not asked of patterns that look beyond their match); and
// what only the reference shows overlaps with a word that is shown, or is no word.
bool WordSpansAreRight(const Case& test_case, Judge& judge);

}  // namespace differential
