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
  bool has_back_reference = false;
  bool needs_c_library = false;    // see Bracket::needs_c_library
  bool has_invalid_bytes = false;  // a literal byte that is part of no character
  // GNU grep's automaton, which the tree follows, and the C library read something differently.
  bool readings_differ = false;
  // Something is in it that GNU grep's automaton leaves to the C library to decide.
  bool left_to_c_library = false;
  // GNU grep looks for this mistake only when all patterns have turned out well-formed.
  bool confusing_bracket = false;
};

// The message for Parsed::confusing_bracket.
inline constexpr char kConfusingBracket[] = "character class syntax is [[:space:]], not [:space:]";

// Throws PatternError with GNU grep's message for a malformed pattern.
Parsed ParseRegex(std::string_view text, bool extended, const Alphabet& alphabet);

// A fixed string (-F): every character stands for itself.
Parsed ParseFixed(std::string_view text, const Alphabet& alphabet);

}  // namespace mr::pattern
