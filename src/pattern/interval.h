// The {m,n} of basic and extended regular expressions, with the C library's mistakes and messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace mr::pattern {

struct Interval {
  static constexpr int kNoMaximum = -1;

  int min = 0;
  int max = kNoMaximum;
  std::size_t end = 0;  // of the text, behind the closing brace
  // A \0 is among the digits, or a \, divides them, as the C library alone understands: to the
  // automaton it is a mistake.
  bool escapes = false;
};

// The C library's message.
inline constexpr char kTooBig[] = "Regular expression too big";

// Reads the interval whose content begins at `text[at]`, behind the opening brace. None when
// extended syntax takes it for ordinary characters. Throws PatternError for one that is wrong.
std::optional<Interval> ParseInterval(std::string_view text, std::size_t at, bool extended);

}  // namespace mr::pattern
