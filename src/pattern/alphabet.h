// The characters of the current locale, as far as patterns need to know them: which bytes form
// one, which class it belongs to, and which characters are equal to it under -i.
//
// Classes and case come from iswctype, towupper and towlower, so setlocale must have been called
// before. Immutable after construction; safe for several threads as long as none calls setlocale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pattern/char_set.h"
#include "pattern/pattern.h"

namespace mr::pattern {

class Alphabet {
 public:
  explicit Alphabet(const Source& source);

  // Code points are Unicode's in UTF-8 and byte values elsewhere.
  bool utf8() const { return utf8_; }
  bool ignore_case() const { return ignore_case_; }
  // False for multi-byte character sets other than UTF-8, for which no tree is exact.
  bool exact() const { return exact_; }
  // Whether every character is one byte.
  bool single_bytes() const { return exact_ && !utf8_; }
  // The C locale: no byte above 0x7f belongs to a class.
  bool plain_bytes() const { return bytes_; }

  struct Decoded {
    std::optional<char32_t> code;  // none: the byte is no part of a valid character
    std::size_t length_bytes = 1;
  };
  // The character at text[at]; REQUIRES at < text.size().
  Decoded Decode(std::string_view text, std::size_t at) const;
  void Encode(char32_t c, std::string& out) const;

  // Every character that a line can hold: not the terminator, and not NUL where it ends lines.
  const CharSet& line_characters() const { return line_characters_; }

  // The members of a named class ("alpha"), as -i sees it; none for an unknown name.
  std::optional<CharSet> NamedClass(std::string_view name) const;
  CharSet WordCharacters() const;
  bool IsWord(char32_t c) const;

  // The character that stands for all that are equal to `c` under -i: its towupper, as far as the
  // locale's character set has one.
  char32_t Upper(char32_t c) const;
  // All characters whose towupper is the same as that of `c` (with -i; else just `c`).
  CharSet Fold(char32_t c) const;
  // The characters of the range [first-last] as the C library's matcher takes it: by code point,
  // and with -i every character whose towupper lies between those of the ends. Empty when the
  // ends are in the wrong order.
  CharSet Range(char32_t first, char32_t last) const;

 private:
  std::optional<CharSet> ClassOf(const char* name) const;
  wint_t ToWide(char32_t c) const;

  bool utf8_;
  bool exact_;
  bool bytes_;
  bool ignore_case_;
  CharSet line_characters_;
};

}  // namespace mr::pattern
