#include "pattern/spell_out.h"

#include <algorithm>

#include "pattern/bracket.h"

namespace mr::pattern {
namespace {

// The C library looks through the list for every character of a line.
constexpr std::uint64_t kMostListed = 4096;

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= kLastAscii; });
}

bool NeedsCollation(std::string_view bracket) {
  return !IsAscii(bracket) && (bracket.find('-') != std::string_view::npos ||
                               bracket.find("[=") != std::string_view::npos ||
                               bracket.find("[.") != std::string_view::npos);
}

// Characters that mean themselves only in certain places go there.
std::string Listed(const CharSet& members, bool negated, const Alphabet& alphabet) {
  std::string first;
  std::string others;
  std::string last;
  for (const CharRange& range : members.ranges()) {
    for (char32_t c = range.first; c <= range.last; ++c) {
      if (c == ']') {
        first = "]";
      } else if (c == '[' || c == '^' || c == '-') {
        last += static_cast<char>(c);
      } else {
        alphabet.Encode(c, others);
      }
    }
  }
  // At the very end '-' begins no range, and behind '[' neither '^' nor '-' begins a name.
  std::sort(last.begin(), last.end(), [](char left, char right) {
    const std::string_view order = "[^-";
    return order.find(left) < order.find(right);
  });
  return (negated ? "[^" : "[") + first + others + last + "]";
}

}  // namespace

std::string SpellOutBrackets(std::string_view text, const Alphabet& alphabet) {
  // Named classes take their time: nothing is parsed in vain.
  if (!alphabet.utf8() || IsAscii(text)) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + (text[at] == '\\' ? 2 : 1);
    if (text[at] == '[') {
      const Bracket bracket = ParseBracket(text, at, alphabet);
      end = bracket.end;
      const bool negated = text[at + 1] == '^';
      const CharSet& set = bracket.set;
      const CharSet members = negated ? alphabet.line_characters().Subtract(set) : set;
      if (!bracket.needs_c_library && NeedsCollation(text.substr(at, end - at)) &&
          !members.empty() && members.size() <= kMostListed) {
        result += Listed(members, negated, alphabet);
        at = end;
        continue;
      }
    }
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

}  // namespace mr::pattern
