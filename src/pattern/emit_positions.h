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

// What is on one side of a place in a line: its edge, a character, or one that is part of a word.
enum class Side { kEdge, kOther, kWord };
inline constexpr unsigned kSides = 3;

// A set of places, by what is on both sides of them: a bit for each pair.
using Places = std::uint16_t;
inline constexpr Places kNowhere = 0;
inline constexpr Places kEverywhere = (1u << kSides * kSides) - 1;

constexpr Places Between(Side before, Side behind) {
  return static_cast<Places>(
      1u << (kSides * static_cast<unsigned>(before) + static_cast<unsigned>(behind)));
}
constexpr bool Holds(Places places, Side before, Side behind) {
  return (places & Between(before, behind)) != 0;
}
// Whatever is behind.
constexpr bool Holds(Places places, Side before) {
  return Holds(places, before, Side::kEdge) && Holds(places, before, Side::kOther) &&
         Holds(places, before, Side::kWord);
}

struct PositionAutomaton {
  using Position = std::uint16_t;
  struct Step {
    Position to = 0;
    Places at = kNowhere;  // where it may be taken
  };
  struct State {
    std::bitset<256> bytes;  // that it reads
    std::vector<Step> next;  // in order
    Places last = kNowhere;  // where a match may end behind it
  };
  std::vector<State> states;
  std::vector<Step> first;  // with which a match may begin; in order
  Places empty = kNowhere;  // where there is an empty match
  // That are part of words. None when no place is to be told apart by them: then Side::kOther
  // stands for Side::kWord.
  std::bitset<256> word;
  // Whether it finds a match in a line exactly when the tree does: in any line, or in lines of
  // ASCII bytes only.
  bool exact = true;
  bool exact_on_ascii = true;
};

// What is to become of what GNU grep's automaton cannot say: back-references, assertions about
// words (where characters have several bytes) and sets that it leaves to the C library.
enum class Unsayable {
  kRefused,  // there is no automaton; sets are taken for what they are, and all assertions about
             // words, and ^ and $ where lines do not end with a newline, are refused as well
  kRelaxed,  // as GNU grep has it before it asks the C library: any text, and the empty string for
             // assertions
};

// Characters beyond ASCII of large classes.
enum class LargeClasses {
  kWidened,  // as with EmitSuperset, each is taken for a run of any bytes above 0x7f
  kExact,    // several positions for each
};

// Where the tree matches somewhere in a line, so does the automaton, and never across the
// terminator. None when the tree holds what is refused or matches every line (which kRelaxed
// allows), or when the automaton would be large.
std::optional<PositionAutomaton> EmitPositions(const Node& tree, const Alphabet& alphabet,
                                               char terminator,
                                               Unsayable unsayable = Unsayable::kRefused,
                                               LargeClasses classes = LargeClasses::kWidened);

}  // namespace mr::pattern
