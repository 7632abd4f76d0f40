#include "pattern/alphabet.h"

#include <wchar.h>
#include <wctype.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace mr::pattern {
namespace {

constexpr char32_t kLastByte = 0xff;
constexpr CharRange kScalarValues[] = {{0, 0xd7ff}, {0xe000, 0x10ffff}};

// Where Unicode has assigned characters other than private use; iswctype is false elsewhere,
// and asking it for the million code points between would cost a search its start-up time.
constexpr CharRange kAssigned[] = {{0, 0xd7ff}, {0xf900, 0x323af}, {0xe0001, 0xe01ef}};
constexpr CharRange kPrivateUse[] = {{0xe000, 0xf8ff}, {0xf0000, 0xffffd}, {0x100000, 0x10fffd}};
constexpr char32_t kLastCased = 0x1e943;  // no character above has a case

// Characters whose upper case is shared with another lower-case character, so that neither
// towupper nor towlower leads to them (Unicode's simple case mappings).
constexpr std::array<char32_t, 31> kLonesomeLower = {
    0x00b5, 0x0131, 0x017f, 0x01c5, 0x01c8, 0x01cb, 0x01f2, 0x0345, 0x03c2, 0x03d0, 0x03d1,
    0x03d5, 0x03d6, 0x03f0, 0x03f1, 0x03f5, 0x1c80, 0x1c81, 0x1c82, 0x1c83, 0x1c84, 0x1c85,
    0x1c86, 0x1c87, 0x1c88, 0x1e9b, 0x1fbe, 0x01c6, 0x01c9, 0x01cc, 0x01f3};

bool IsContinuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

}  // namespace

Alphabet::Alphabet(const Source& source)
    : utf8_(source.charset == Charset::kUtf8),
      exact_(source.charset != Charset::kLocale || MB_CUR_MAX == 1),
      bytes_(source.charset == Charset::kBytes),
      ignore_case_(source.ignore_case) {
  CharSet all(0, kLastByte);
  if (utf8_) {
    all = CharSet();
    for (const CharRange& r : kScalarValues) all.Add(r.first, r.last);
  }
  CharSet never;
  if (source.nul_ends_line) never.Add(0);
  never.Add(static_cast<unsigned char>(source.terminator));
  line_characters_ = all.Subtract(never);
}

Alphabet::Decoded Alphabet::Decode(std::string_view text, std::size_t at) const {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (!utf8_ || lead <= kLastAscii) return {lead, 1};
  const std::size_t left = text.size() - at;
  if (lead >= 0xc2 && lead <= 0xdf) {
    if (left < 2 || !IsContinuation(byte(1))) return {};
    return {static_cast<char32_t>((lead & 0x1f) << 6 | (byte(1) & 0x3f)), 2};
  }
  if ((lead & 0xf0) == 0xe0) {
    if (left < 3 || !IsContinuation(byte(1)) || !IsContinuation(byte(2))) return {};
    const char32_t c =
        static_cast<char32_t>((lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f));
    if (c < 0x800 || (c >= 0xd800 && c <= 0xdfff)) return {};
    return {c, 3};
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (left < 4 || !IsContinuation(byte(1)) || !IsContinuation(byte(2)) ||
        !IsContinuation(byte(3))) {
      return {};
    }
    const char32_t c = static_cast<char32_t>((lead & 0x07) << 18 | (byte(1) & 0x3f) << 12 |
                                             (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f));
    if (c < 0x10000 || c > 0x10ffff) return {};
    return {c, 4};
  }
  return {};
}

void Alphabet::Encode(char32_t c, std::string& out) const {
  if (!utf8_ || c <= kLastAscii) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

wint_t Alphabet::ToWide(char32_t c) const {
  if (utf8_) return static_cast<wint_t>(c);
  if (bytes_) return c <= kLastAscii ? static_cast<wint_t>(c) : WEOF;
  return btowc(static_cast<int>(c));
}

std::optional<CharSet> Alphabet::ClassOf(const char* name) const {
  const wctype_t type = wctype(name);
  if (type == 0) return std::nullopt;
  CharSet set;
  const auto collect = [&](char32_t first, char32_t last) {
    for (char32_t c = first; c <= last; ++c) {
      const wint_t wide = ToWide(c);
      if (wide != WEOF && iswctype(wide, type)) set.Add(c);
    }
  };
  if (utf8_) {
    for (const CharRange& r : kAssigned) collect(r.first, r.last);
    // Private use areas are uniform.
    for (const CharRange& r : kPrivateUse) {
      if (iswctype(static_cast<wint_t>(r.first), type)) set.Add(r.first, r.last);
    }
  } else {
    collect(0, kLastByte);
  }
  return set;
}

std::optional<CharSet> Alphabet::NamedClass(std::string_view name) const {
  static constexpr const char* kNames[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                           "lower", "print", "punct", "space", "upper", "xdigit"};
  const auto* known = std::find(std::begin(kNames), std::end(kNames), name);
  if (known == std::end(kNames)) return std::nullopt;
  const bool cased = name == "lower" || name == "upper";
  return ClassOf(ignore_case_ && cased ? "alpha" : *known);
}

CharSet Alphabet::WordCharacters() const {
  CharSet set = ClassOf("alnum").value_or(CharSet());
  set.Add('_');
  return set;
}

bool Alphabet::IsWord(char32_t c) const {
  if (c == '_') return true;
  const wint_t wide = ToWide(c);
  return wide != WEOF && iswalnum(wide);
}

char32_t Alphabet::Upper(char32_t c) const {
  const wint_t wide = ToWide(c);
  if (wide == WEOF) return c;
  const wint_t up = towupper(wide);
  if (utf8_) return static_cast<char32_t>(up);
  const int byte = wctob(up);
  return byte == EOF ? c : static_cast<char32_t>(byte);
}

CharSet Alphabet::Fold(char32_t c) const {
  if (!ignore_case_) return CharSet(c, c);
  const auto upper = [this](char32_t x) { return towupper(ToWide(x)); };
  if (ToWide(c) == WEOF) return CharSet(c, c);
  const wint_t folded = upper(c);
  CharSet set(c, c);
  if (utf8_) {
    const auto consider = [&](char32_t x) {
      if (upper(x) == folded) set.Add(x);
    };
    consider(static_cast<char32_t>(folded));
    consider(static_cast<char32_t>(towlower(folded)));
    consider(static_cast<char32_t>(towlower(static_cast<wint_t>(c))));
    for (char32_t x : kLonesomeLower) consider(x);
  } else {
    for (char32_t x = 0; x <= kLastByte; ++x) {
      if (ToWide(x) != WEOF && upper(x) == folded) set.Add(x);
    }
  }
  return set;
}

CharSet Alphabet::Range(char32_t first, char32_t last) const {
  if (!ignore_case_) return first <= last ? CharSet(first, last) : CharSet();
  CharSet result;
  const char32_t low = Upper(first);
  const char32_t high = Upper(last);
  for (char32_t c = low; c <= high; ++c) {
    if (c > kLastCased) {
      result.Add(c, high);
      break;
    }
    if (Upper(c) == c) result.Add(Fold(c));
  }
  return result;
}

}  // namespace mr::pattern
