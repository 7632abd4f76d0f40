// A deterministic automaton that finds the lines in which a position automaton matches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pattern/emit_positions.h"

namespace mr::match {

// A table of states times classes of bytes. A state is the index of its row's first entry. It is in
// `start` where a line begins, and stays in `match`, the last row, once it is there. A match that
// needs the end of the line is found when the terminator is read.
struct LineAutomaton {
  using State = std::uint16_t;
  std::vector<State> next;  // next[state + classes[byte]]
  std::array<std::uint8_t, 256> classes{};
  State start = 0;
  State match = 0;

  State Step(State state, char byte) const {
    return next[state + classes[static_cast<unsigned char>(byte)]];
  }

  // Whether there is a match in `line`, which is without its terminator.
  bool Matches(std::string_view line, char terminator) const;

  // By the subset construction. None when it would have too many states to be fast.
  static std::optional<LineAutomaton> Make(const pattern::PositionAutomaton& positions,
                                           char terminator);
};

}  // namespace mr::match
