// From a tree to runs of bytes that its matches hold, for a search for all of them at once.
#pragma once

#include <optional>
#include <vector>

#include "pattern/alphabet.h"
#include "pattern/byte_rarity.h"
#include "pattern/tree.h"

namespace mr::pattern {

// Adjacent bytes, each one of a set.
struct ByteSequence {
  std::vector<ByteSet> bytes;  // not empty
  bool whole = true;           // whether every line that holds it matches
  // The first of `bytes` is the terminator of the line before, or nothing where there is none.
  bool from_line_begin = false;
  // The last of `bytes` is the terminator of the line, or nothing where it has none.
  bool to_line_end = false;
};

struct Sequences {
  std::vector<ByteSequence> any_of;  // every line with a match holds one of these, at the least
  // Whether every line that holds one does match: any line, or one of ASCII bytes only.
  bool exact = true;
  bool exact_on_ascii = true;
};

// What a caller wants to know of the tree.
enum class Wanted {
  kLines,    // in which lines a match is: what may be missing at its ends is left out
  kMatches,  // where it begins and ends
};

// None when some branch of the tree holds no byte that it could be told by, when there are too many
// branches, and for assertions about lines that do not end in a newline.
std::optional<Sequences> EmitSequences(const Node& tree, const Alphabet& alphabet, char terminator,
                                       Wanted wanted);

}  // namespace mr::pattern
