// Whether the character before or behind a place in a line is part of a word, for -w.
#pragma once

#include <algorithm>
#include <cwchar>
#include <cwctype>
#include <string_view>

#include "pattern/alphabet.h"
#include "pattern/as_fixed.h"

namespace mr::match {

inline bool IsAsciiWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

class WordTest {
 public:
  // `left_to_c_library`: the pattern, by GNU grep's automaton.
  WordTest(const pattern::Source& source, bool left_to_c_library)
      : alphabet_(source),
        takes_empty_((alphabet_.plain_bytes() && !left_to_c_library) ||
                     (alphabet_.utf8() && pattern::SearchedAsFixed(source, alphabet_))) {}

  bool IsWordAt(std::string_view line, std::size_t at) const {
    if (at >= line.size()) return false;
    if (!alphabet_.exact()) return Read(line.substr(at)).word;
    return IsWord(alphabet_.Decode(line, at));
  }

  bool IsWordBefore(std::string_view line, std::size_t at) const {
    if (!alphabet_.exact()) return IsMultibyteWordBefore(line.substr(0, at));
    for (std::size_t length = 1; length <= std::min(at, std::size_t{4}); ++length) {
      // A place within a character has that character before it.
      const auto decoded = alphabet_.Decode(line, at - length);
      if (decoded.code && decoded.length_bytes >= length) return IsWord(decoded);
    }
    return false;
  }

  // Behind the character at `at`, or behind the byte that is none.
  std::size_t Next(std::string_view line, std::size_t at) const {
    if (at >= line.size()) return at + 1;
    return at + (alphabet_.exact() ? alphabet_.Decode(line, at).length_bytes
                                   : Read(line.substr(at)).length_bytes);
  }

  // GNU grep's automaton takes an empty match between two characters that are not word
  // characters; its loop over ever shorter matches, all that it has for what is left to the C
  // library or where characters beyond ASCII may be part of words, does not. In UTF-8 its matcher
  // of fixed strings does.
  bool TakesEmpty() const { return takes_empty_; }

 private:
  // A character of a multi-byte character set other than UTF-8, or a byte that is none.
  struct Character {
    std::size_t length_bytes = 1;
    bool word = false;
  };

  static Character Read(std::string_view text) {
    wchar_t wide = 0;
    std::mbstate_t state{};
    const std::size_t length = std::mbrtowc(&wide, text.data(), text.size(), &state);
    if (length == 0 || length > text.size()) return {};
    return {length, wide == L'_' || std::iswalnum(static_cast<wint_t>(wide)) != 0};
  }

  // Where characters begin can only be known from the beginning of the line.
  static bool IsMultibyteWordBefore(std::string_view before) {
    Character last;
    for (std::size_t at = 0; at < before.size(); at += last.length_bytes) {
      last = Read(before.substr(at));
    }
    return last.word;
  }

  bool IsWord(const pattern::Alphabet::Decoded& decoded) const {
    return decoded.code && alphabet_.IsWord(*decoded.code);
  }

  pattern::Alphabet alphabet_;
  bool takes_empty_;
};

}  // namespace mr::match
