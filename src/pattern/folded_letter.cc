#include "pattern/folded_letter.h"

namespace mr::pattern {
std::optional<char> FoldedLetter(const CharSet& set, std::set<char32_t>& others) {
  char letter = '\0';
  int ascii = 0;
  for (const CharRange& r : set.ranges()) {
    for (char32_t c = r.first; c <= r.last; ++c) {
      if (c > kLastAscii) {
        if (set.size() > kFewCharacters) return std::nullopt;
        others.insert(c);
      } else {
        if (++ascii > 2) return std::nullopt;
        letter = static_cast<char>(c);
      }
    }
  }
  const bool both = ascii == 2 && letter >= 'a' && letter <= 'z' &&
                    set.Contains(static_cast<char32_t>(letter - 'a' + 'A'));
  if (!both) return std::nullopt;
  return letter;
}

}  // namespace mr::pattern
