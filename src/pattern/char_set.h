// A set of characters: sorted, disjoint, non-adjacent ranges of code points. A value.
#pragma once

#include <cstdint>
#include <vector>

namespace mr::pattern {

inline constexpr char32_t kLastAscii = 0x7f;

// So many characters at the most are spelled out one by one, where a class would do.
inline constexpr std::uint64_t kFewCharacters = 8;

struct CharRange {
  char32_t first = 0;
  char32_t last = 0;  // inclusive
  bool operator==(const CharRange&) const = default;
};

class CharSet {
 public:
  CharSet() = default;
  CharSet(char32_t first, char32_t last) : ranges_{{first, last}} {}

  void Add(char32_t c) { Add(c, c); }
  void Add(char32_t first, char32_t last);
  void Add(const CharSet& other);

  bool Contains(char32_t c) const;
  bool empty() const { return ranges_.empty(); }
  // The number of characters.
  std::uint64_t size() const;
  const std::vector<CharRange>& ranges() const { return ranges_; }

  CharSet Intersect(const CharSet& other) const;
  CharSet Subtract(const CharSet& other) const;
  bool Intersects(const CharSet& other) const { return !Intersect(other).empty(); }
  bool IsSubsetOf(const CharSet& other) const { return Subtract(other).empty(); }

  bool operator==(const CharSet&) const = default;

 private:
  std::vector<CharRange> ranges_;
};

}  // namespace mr::pattern
