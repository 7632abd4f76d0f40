// Random file contents around texts that a pattern is likely to match.
#pragma once

#include <string>
#include <vector>

#include "differential/pattern_generator.h"
#include "differential/random.h"

namespace differential {

// Lines of words, of `likely` texts whole, cut, repeated or embedded, and of rubbish; at times
// NULs, invalid UTF-8, CRLF, very long lines, no final newline, nothing at all, or more than the
// 96 KiB that GNU grep reads at once.
std::string MakeContents(Random& random, Alphabet alphabet, const std::vector<std::string>& likely);

}  // namespace differential
