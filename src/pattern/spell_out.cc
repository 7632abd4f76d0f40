#include "pattern/spell_out.h"

#include <algorithm>
#include <optional>

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

// The named classes of a bracket, and what it is without them.
struct Parts {
  std::string classes;
  std::string others;
};

// None where a character beside a class would be read differently without it.
std::optional<Parts> Divide(std::string_view bracket) {
  Parts parts;
  for (std::size_t at = 0; at < bracket.size();) {
    const std::size_t end =
        bracket.substr(at, 2) == "[:" ? bracket.find(":]", at + 2) : std::string_view::npos;
    if (at == 0 || end == std::string_view::npos) {
      parts.others += bracket[at++];
      continue;
    }
    parts.classes += bracket.substr(at, end + 2 - at);
    at = end + 2;
    const bool is_last = at + 2 == bracket.size();
    if (bracket[at] == '^' || (bracket[at] == '-' && !is_last)) return std::nullopt;
  }
  return parts;
}

// Characters that mean themselves only in certain places go there. `invalid`: bytes that are no
// characters, whatever comes before them.
std::string Listed(const CharSet& members, const std::string& classes, std::string invalid,
                   bool negated, const Alphabet& alphabet) {
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
  // Those that might continue a character, which there is none of that is open, before those that
  // might begin one.
  std::sort(invalid.begin(), invalid.end(), [](char left, char right) {
    return static_cast<unsigned char>(left) < static_cast<unsigned char>(right);
  });
  return (negated ? "[^" : "[") + first + classes + others + invalid + last + "]";
}

std::optional<std::string> SpellOut(std::string_view bracket, const Alphabet& alphabet) {
  const std::optional<Parts> parts = Divide(bracket);
  if (!parts) return std::nullopt;
  const bool negated = bracket[1] == '^';
  if (parts->others.size() <= (negated ? 3U : 2U)) return std::nullopt;
  const Bracket others = ParseBracket(parts->others, 0, alphabet);
  if (others.invalid_range_end) return std::nullopt;
  const CharSet& set = others.set;
  const CharSet members = negated ? alphabet.line_characters().Subtract(set) : set;
  if (members.empty() || members.size() > kMostListed) return std::nullopt;
  return Listed(members, parts->classes, others.invalid_bytes, negated, alphabet);
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
      const std::string_view written = text.substr(at, end - at);
      std::optional<std::string> listed;
      if (NeedsCollation(written)) listed = SpellOut(written, alphabet);
      if (listed) {
        result += *listed;
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
