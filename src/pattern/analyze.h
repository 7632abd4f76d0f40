// Questions about a tree that several emitters ask.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

// Whether some match may be empty. Assertions count as if they held.
bool IsNullable(const Node& node);

// Supersets of the characters that a non-empty match may begin or end with. A byte that is part
// of no character, and a back-reference, count as any character.
CharSet FirstCharacters(const Node& node, const Alphabet& alphabet);
CharSet LastCharacters(const Node& node, const Alphabet& alphabet);

struct Contents {
  bool line_assertions = false;  // ^ $ and the buffer anchors
  bool word_assertions = false;  // \< \> \b \B
  bool back_references = false;
  // Times that the largest repeat count, over all nests, would copy its body.
  std::size_t repeat_product = 1;

  bool any_assertion() const { return line_assertions || word_assertions; }
};
Contents Inspect(const Node& node);

// No match has more bytes. None where there is no such number: unlimited repeats, back-references.
std::optional<std::size_t> LongestMatchBytes(const Node& node);

// Whether something in the tree is left to the C library by GNU grep's automaton; back-references
// are not counted.
bool IsLeftToCLibrary(const Node& node, const Alphabet& alphabet);

// Whether the tree reads any character other than of sets that are left to the C library.
bool ReadsCertainCharacters(const Node& node);

// Those children of a concatenation without which there would be other lines with a match: what may
// be missing at either end is left out.
std::span<const Node> NeededChildren(const Node& node);

// Whether there is a match in every line for an evident reason: the empty string, or an anchor, is
// among what the tree matches.
bool MatchesEveryLine(const Node& node);

}  // namespace mr::pattern
