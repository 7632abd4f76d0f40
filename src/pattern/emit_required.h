// From a tree to a literal that no match can do without, for a search for its bytes.
#pragma once

#include <optional>
#include <string>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

struct RequiredLiteral {
  std::string bytes;  // not empty; the bits of `folds` are set
  std::string folds;  // as long: bits that do not matter (0x20 for either case of an ASCII letter)
  // First bytes of the characters that would do in the place of one of `bytes` and that are of
  // another length (U+017F for s under -i). A line that holds one of these may match without
  // `bytes`.
  std::string leads;
  // Whether every line that holds `bytes` matches the tree.
  bool whole = true;
  // -log2 of the share of places where text can be expected to hold `bytes`, if its bytes were
  // independent.
  int rarity_bits = 0;
};

// The rarest literal that every line holds in which the tree matches, if there is one.
std::optional<RequiredLiteral> EmitRequired(const Node& tree, const Alphabet& alphabet);

}  // namespace mr::pattern
