// All patterns of a search as one tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pattern/alphabet.h"
#include "pattern/pattern.h"
#include "pattern/tree.h"

namespace mr::pattern {

struct Combined {
  Node tree;
  std::vector<std::string> warnings;
  bool has_back_reference = false;
  bool needs_c_library = false;
  bool has_invalid_bytes = false;
  bool readings_differ = false;  // see Parsed
  // Something is in the tree that GNU grep's automaton leaves to the C library to decide.
  bool left_to_c_library = false;
};

// Parses every pattern of `source` (not kPerl) and joins them as alternatives, without -w and -x.
// Throws PatternError.
Combined Combine(const Source& source, const Alphabet& alphabet);

// -x: the tree between anchors.
Node MatchWholeLine(Node tree);

// -w, where the ends of every alternative are known to be word characters, or known not to be:
// then \b and \B, as an engine for ASCII text knows them, say what -w means. None elsewhere.
std::optional<Node> MatchWord(const Node& tree, const Alphabet& alphabet);

// -w as GNU grep's automaton sees it: the tree between characters that are no part of a word, or
// the ends of the line. Says which lines match, not where.
Node MatchBetweenWords(Node tree, const Alphabet& alphabet);

}  // namespace mr::pattern
