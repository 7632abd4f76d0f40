// From a tree to a position automaton over bytes (Glushkov, "The abstract theory of automata",
// 1961): one state for every byte that the expression can read, and which may follow which.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

struct PositionAutomaton {
  using Position = std::uint16_t;
  struct State {
    std::bitset<256> bytes;      // that it reads
    std::vector<Position> next;  // in order
    bool last = false;           // a match may end here
    bool last_at_end = false;    // a match may end here where the line does
  };
  std::vector<State> states;
  std::vector<Position> first;           // where a match may begin; in order
  std::vector<Position> first_at_begin;  // the same at the beginning of a line
  bool empty_line = false;               // whether the empty line matches
  // Whether it finds a match in a line exactly when the tree does: in any line, or in lines of
  // ASCII bytes only.
  bool exact = true;
  bool exact_on_ascii = true;
};

// Where the tree matches somewhere in a line, so does the automaton, and never across the
// terminator. As with EmitSuperset, a character beyond ASCII of a large class is taken for a run of
// any bytes above 0x7f. None when the tree matches every line, when it holds assertions about words
// or back-references, or when the automaton would be large.
std::optional<PositionAutomaton> EmitPositions(const Node& tree, const Alphabet& alphabet,
                                               char terminator);

}  // namespace mr::pattern
