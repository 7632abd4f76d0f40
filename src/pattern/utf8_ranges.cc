#include "pattern/utf8_ranges.h"

#include <cstddef>
#include <string>

namespace mr::pattern {
namespace {

constexpr unsigned kBitsOfContinuation = 6;

// The last code points whose encodings have one, two and three bytes (RFC 3629).
constexpr char32_t kLastOfLength[] = {kLastAscii, 0x7ff, 0xffff};

void Divide(char32_t first, char32_t last, const Alphabet& alphabet,
            std::vector<Utf8Range>& ranges) {
  const auto divide_before = [&](char32_t second) {
    Divide(first, second - 1, alphabet, ranges);
    Divide(second, last, alphabet, ranges);
  };
  for (const char32_t longest : kLastOfLength) {
    if (first <= longest && longest < last) return divide_before(longest + 1);
  }
  std::string from;
  alphabet.Encode(first, from);
  // Where bytes before the last ones differ, those must run over all of their values.
  for (std::size_t i = 1; i < from.size(); ++i) {
    const char32_t low = (char32_t{1} << kBitsOfContinuation * i) - 1;
    if ((first | low) == (last | low)) break;
    if ((first & low) != 0) return divide_before((first | low) + 1);
    if ((last & low) != low) return divide_before(last & ~low);
  }
  std::string to;
  alphabet.Encode(last, to);
  Utf8Range range;
  for (std::size_t i = 0; i < from.size(); ++i) {
    range.push_back({static_cast<unsigned char>(from[i]), static_cast<unsigned char>(to[i])});
  }
  ranges.push_back(std::move(range));
}

}  // namespace

std::vector<Utf8Range> Utf8Ranges(CharRange range, const Alphabet& alphabet) {
  std::vector<Utf8Range> ranges;
  Divide(range.first, range.last, alphabet, ranges);
  return ranges;
}

}  // namespace mr::pattern
