// From a tree to an expression over bytes for a fast automaton that only has to find the lines
// that may match.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

struct Superset {
  // In PCRE syntax, for multi-line mode without UTF-8: every byte above 0x7f stands for itself.
  std::string text;
  bool has_assertions = false;  // ^ $ \b: it depends on where lines begin and end
  std::size_t positions = 0;    // bytes and classes with repeats multiplied out
};

// Where the tree matches somewhere in a line, so does the expression, and never across the
// terminator. None when only assertions keep the tree from matching everywhere, or when the
// expression would be too large to be worth compiling.
std::optional<Superset> EmitSuperset(const Node& tree, const Alphabet& alphabet, char terminator);

}  // namespace mr::pattern
