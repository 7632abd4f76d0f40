#include "pattern/interval.h"

#include <algorithm>

#include "pattern/pattern.h"

namespace mr::pattern {
namespace {

constexpr int kMaxRepeat = 32767;  // RE_DUP_MAX

// Digits and whatever else stands before a comma or the closing brace, as the C library reads
// them: the value, or kNoNumber for none at all, or kMalformed.
constexpr int kNoNumber = -1;
constexpr int kMalformed = -2;

struct Number {
  int value = kNoNumber;
  bool closed = false;   // ended by the closing brace
  bool comma = false;    // ended by a comma
  bool escapes = false;  // \0 is a digit, and \, a comma, to the C library alone
  std::size_t end = 0;   // behind what ended it
};

Number ReadNumber(std::string_view text, std::size_t at, bool extended) {
  Number number;
  while (true) {
    if (at >= text.size()) {
      number.value = kMalformed;
      number.end = at;
      return number;
    }
    const bool escaped = text[at] == '\\' && at + 1 < text.size();
    const char c = text[at + (escaped ? 1 : 0)];
    at += escaped ? 2 : 1;
    number.end = at;
    number.closed = c == '}' && escaped != extended;
    number.comma = c == ',';
    number.escapes |= escaped && !number.closed;
    if (number.closed || number.comma) return number;
    if (number.value == kMalformed || c < '0' || c > '9' || (escaped && c != '0')) {
      number.value = kMalformed;
    } else {
      number.value = std::min(kMaxRepeat + 1, std::max(number.value, 0) * 10 + (c - '0'));
    }
  }
}

}  // namespace

std::optional<Interval> ParseInterval(std::string_view text, std::size_t at, bool extended) {
  static constexpr char kInvalid[] = "Invalid content of \\{\\}";
  const Number first = ReadNumber(text, at, extended);
  Number last = first;
  int min = first.value;
  if (min == kNoNumber) {
    if (!first.comma) throw PatternError(kInvalid);
    min = 0;
  }
  if (min != kMalformed && first.comma) last = ReadNumber(text, first.end, extended);
  if (min == kMalformed || last.value == kMalformed) {
    if (extended) return std::nullopt;
    throw PatternError(last.closed || last.comma ? kInvalid : "Unmatched \\{");
  }
  const int max = first.comma ? last.value : min;
  if ((max != kNoNumber && min > max) || !last.closed) throw PatternError(kInvalid);
  if (std::max(min, max) > kMaxRepeat) throw PatternError(kTooBig);
  const bool escapes = first.escapes || last.escapes;
  if (escapes && extended) return std::nullopt;  // as the automaton takes it
  return Interval{min, max == kNoNumber ? Interval::kNoMaximum : max, last.end, escapes};
}

}  // namespace mr::pattern
