#include "pattern/as_fixed.h"

#include <algorithm>
#include <cwctype>
#include <optional>
#include <string_view>
#include <utility>

namespace mr::pattern {
namespace {

// Whether the matcher of fixed strings can find the character: not if it is none, nor if -i gives
// it another form in more than one byte.
bool CanBeFixed(const Alphabet::Decoded& decoded, const Alphabet& alphabet) {
  if (!alphabet.utf8()) return true;
  if (!decoded.code) return false;
  if (!alphabet.ignore_case()) return true;
  const CharSet forms = alphabet.Fold(*decoded.code);
  if (decoded.length_bytes == 1) return forms.IsSubsetOf(CharSet(0, 0x7f));
  const auto wide = static_cast<wint_t>(*decoded.code);
  return forms.size() == 1 && std::towlower(wide) == wide;
}

// The characters of `text` without the backslashes; none if it holds an operator or a character
// that cannot be searched for. `last`: nothing follows that a backslash could escape.
std::optional<std::string> Plain(std::string_view text, bool extended, bool last,
                                 const Alphabet& alphabet) {
  constexpr std::string_view kOperators = "$*.[^";
  constexpr std::string_view kOnlyExtended = "(+?{|";  // a lone ')' stands for itself
  constexpr std::string_view kEscapes = "BSWbsw'<`>123456789";
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      if (at + 1 < text.size()) {
        ++at;
        const char c = text[at];
        if (kEscapes.find(c) != std::string_view::npos) return std::nullopt;
        if (!extended && (c == ')' || kOnlyExtended.find(c) != std::string_view::npos)) {
          return std::nullopt;
        }
      } else if (!last) {
        return std::nullopt;
      }
    } else if (kOperators.find(text[at]) != std::string_view::npos ||
               (extended && kOnlyExtended.find(text[at]) != std::string_view::npos)) {
      return std::nullopt;
    }
    const Alphabet::Decoded decoded = alphabet.Decode(text, at);
    if (!CanBeFixed(decoded, alphabet)) return std::nullopt;
    plain += text.substr(at, decoded.length_bytes);
    at += decoded.length_bytes;
  }
  return plain;
}

}  // namespace

Source AsFixedWherePlain(Source source) {
  const bool extended = source.syntax == Syntax::kExtended;
  if (source.patterns.size() < 2 || (source.syntax != Syntax::kBasic && !extended)) return source;
  const Alphabet alphabet(source);
  if (!alphabet.exact()) return source;
  std::vector<std::string> plain;
  plain.reserve(source.patterns.size());
  for (const std::string& text : source.patterns) {
    const bool last = &text == &source.patterns.back();
    std::optional<std::string> one = Plain(text, extended, last, alphabet);
    if (!one) return source;
    plain.push_back(*std::move(one));
  }
  source.patterns = std::move(plain);
  source.syntax = Syntax::kFixed;
  return source;
}

bool SearchedAsFixed(const Source& source, const Alphabet& alphabet) {
  if (source.syntax != Syntax::kFixed || !alphabet.exact()) return false;
  return std::all_of(source.patterns.begin(), source.patterns.end(), [&](const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const Alphabet::Decoded decoded = alphabet.Decode(text, at);
      if (!CanBeFixed(decoded, alphabet)) return false;
      at += decoded.length_bytes;
    }
    return true;
  });
}

}  // namespace mr::pattern
