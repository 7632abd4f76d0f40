// GNU grep's false context: with nothing shown so far it takes the beginning of its buffer for what
// follows the last line that it has shown.
#pragma once

#include <string>
#include <vector>

#include "differential/compare.h"
#include "differential/judge.h"

namespace differential {

// The lines of `text`, each of which ends with `end`, without it.
std::vector<std::string> SplitLines(const std::string& text, char end);

// What a terminal would show of it.
std::string WithoutColours(const std::string& text);

// Whether the two differ in files whose first selected line is not text, and there by no more than
// lines from the beginning of the file in front, as context, and separators.
bool FalseContextIsAll(const Dispute& dispute, Judge& judge);

// Whether the first NUL stands where GNU grep does not see it before it has shown something.
bool TurnsBinary(const std::string& bytes);

// Whether the two differ in such files only, and there by no more than trailing context at the end.
bool ContextOfBinaryIsAll(const Dispute& dispute, Judge& judge);

}  // namespace differential
