// From the text of one basic or extended regular expression to a tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

struct Parsed {
  Node tree;
  std::vector<std::string> warnings;  // GNU grep's words, without the program's name
  bool needs_c_library = false;    // see Bracket::needs_c_library
  bool has_invalid_bytes = false;  // a literal byte that is part of no character
  // GNU grep's automaton, which the tree follows, and the C library read something differently.
  bool readings_differ = false;
  // The first mistake that is one to the automaton alone, in its words. It comes second: GNU grep
  // sees this only when the C library has found all patterns well-formed. No warnings follow it.
  std::string complaint;
};

// Throws PatternError with the C library's message for a pattern that is malformed to it.
Parsed ParseRegex(std::string_view text, bool extended, const Alphabet& alphabet);

// A fixed string (-F): every character stands for itself.
Parsed ParseFixed(std::string_view text, const Alphabet& alphabet);

}  // namespace mr::pattern
