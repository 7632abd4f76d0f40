// From a tree to a plain list of strings, for pattern lists too long for an expression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

struct LiteralList {
  std::vector<std::string> literals;  // none of them empty
  // Characters beyond ASCII that -i takes for a letter of some literal: a line that holds one may
  // match without holding a literal.
  std::vector<std::string> others;
  bool caseless = false;  // ASCII letters in the literals stand for both cases
};

// Strings of which every line that matches the tree holds at least one, or else one of `others`.
// None when some alternative is not a plain sequence of characters.
std::optional<LiteralList> EmitLiterals(const Node& tree, const Alphabet& alphabet);

}  // namespace mr::pattern
